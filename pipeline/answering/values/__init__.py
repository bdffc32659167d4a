"""Numbers, dates and sums in a text, and whether two of them say the same."""
