"""Questions: accept them, run their steps, notify those who wait."""
