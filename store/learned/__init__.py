"""Recalibrations of the judge in SQL, and the variants of questions with their tallies."""
