"""Numbers, dates, sums and names in a text, and whether two of them say the same."""
