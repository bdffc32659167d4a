"""Find pages and decide which to read first: sitemaps, feeds, whole sites, the frontier, schedules."""
