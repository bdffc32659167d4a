"""What operators see of the work: Flower, and what came of each task."""
