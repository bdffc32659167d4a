"""Learning from feedback: save it, and refit judge and reranker."""
