"""The learned reranker and its signals."""
