"""Server-sent events: a question's progress, and a watched answer's changes."""
