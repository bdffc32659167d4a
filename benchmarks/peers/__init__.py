"""Wellread beside txtai and Haystack, on the same passages, questions and model."""
