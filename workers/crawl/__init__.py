"""The crawl: seek candidates, read one, record it, read whole sites, follow schedules."""
