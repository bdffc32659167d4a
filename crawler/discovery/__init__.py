"""Which pages there are and which to read first: sitemaps, feeds, whole sites, the frontier, schedules."""
