"""The processes of the embedded stack: their programs, start, supervision and end."""
