"""From a query to pages: search engines, the frontier, fetching under guard, extraction, passages."""
