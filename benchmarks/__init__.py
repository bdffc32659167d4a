"""Speed, side by side: what Wellread takes, as a ratio to what the least or a peer takes in the same run."""
