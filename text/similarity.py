"""Jaccard similarity of two sets of words."""

from __future__ import annotations


def jaccard(one: set[str], other: set[str]) -> float:
    """Return |intersection| / |union|; 0 for two empty sets."""
    union = one | other
    return len(one & other) / len(union) if union else 0.0
