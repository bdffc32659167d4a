"""Fits: what is learned from data sets and shipped."""
