"""Whose questions are whose, and which collections a key opens."""
