"""The embedded stack's processes: which there are, started, supervised, ended."""
