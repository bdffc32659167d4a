"""A year of questions: what is kept, and what it costs."""
