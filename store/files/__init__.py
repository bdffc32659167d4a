"""The operator's own files and watched folders in SQL."""
