"""Compare readers of one's own files: ``python -m benchmarks.files``."""
