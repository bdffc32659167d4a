"""What feedback teaches: the judge's coefficients and the reranker's weights refitted, held to pinned floors."""
