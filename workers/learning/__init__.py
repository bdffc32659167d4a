"""What feedback teaches: taking it in, and fitting anew."""
