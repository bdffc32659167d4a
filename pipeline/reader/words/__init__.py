"""English words with their vectors, and the small words of other languages: what glosses are made of."""
