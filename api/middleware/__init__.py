"""What every request passes: keys, limits, errors."""
