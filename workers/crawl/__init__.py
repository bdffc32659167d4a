"""The crawl's steps: seek candidates, read one, record it, keep sites and schedules."""
