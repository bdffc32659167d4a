"""Judge whether the hits suffice: coverage, features, the calibrated judge, the cutoff."""
