"""The rules of a site's robots.txt, and the delay between requests."""
