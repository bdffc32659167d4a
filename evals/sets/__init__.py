"""Evaluation sets: reading them, cutting them, and their questions."""
