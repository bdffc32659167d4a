"""From a question and a way to search to an answer; pure."""
