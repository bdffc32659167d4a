"""Knowledge bases to measure on: in memory, or as they are stored."""
