"""Refit the judge and the reranker from feedback, held to pinned floors."""
