"""Find and read pages: search engines, the frontier, fetching under guard, extraction, passages."""
