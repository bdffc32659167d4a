"""The crawl in SQL: candidates, sources, whole sites and their frontier."""
