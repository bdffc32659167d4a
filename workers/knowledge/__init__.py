"""What is known, or a whole collection, goes into one file and comes out of it."""
