"""Versions of learned models in SQL, and the variants of questions with their tallies."""
