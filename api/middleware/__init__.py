"""Checks of every request: keys, limits, errors."""
