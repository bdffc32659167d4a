"""Pictures of the figures that docs/ publishes."""
