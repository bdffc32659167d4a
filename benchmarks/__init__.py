"""Speed, cost and faults."""
