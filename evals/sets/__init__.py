"""Evaluation sets: read them, and cut the small ones out of full ones."""
