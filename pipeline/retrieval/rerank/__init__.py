"""The rerankers, one a file."""
