"""The terminal's output, one module for each kind of thing."""
