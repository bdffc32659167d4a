"""The operator's own files: uploads, watched folders, and the reading of one file."""
