"""Pages in SQL: their text and history, duplicates, links, and the queues that index and refresh them."""
