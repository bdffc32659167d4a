"""Answers what an operator and a reader look for across pages and questions; nothing else of the store needs it."""
