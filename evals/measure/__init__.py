"""Measurements, one module for each stage."""
