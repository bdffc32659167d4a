"""Pages into the knowledge base: the only writer of passages."""
