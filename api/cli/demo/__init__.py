"""The demonstration: a small site on loopback, an empty knowledge base, and three questions."""
