"""The operator's tools: doctor, overview, reindex."""
