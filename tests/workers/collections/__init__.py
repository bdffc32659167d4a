"""Collections: nothing crosses."""
