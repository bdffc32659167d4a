"""Who may do what, and in which collection."""
