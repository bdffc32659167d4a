"""What is kept: questions, pages and work in SQL, passages in LanceDB, progress and turns in Redis."""
