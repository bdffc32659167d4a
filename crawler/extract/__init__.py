"""From a fetched document to its text, links, facts and passages."""
