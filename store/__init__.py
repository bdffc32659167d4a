"""Store questions, pages and work in SQL, passages in LanceDB, progress and host slots in Redis."""
