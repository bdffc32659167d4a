"""Check that what a model says is supported by what it cites."""
