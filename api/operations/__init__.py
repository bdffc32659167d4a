"""What an operator runs: doctor, overview, reindex."""
