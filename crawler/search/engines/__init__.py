"""The search engines, each in its own file."""
