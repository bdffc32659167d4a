"""What a site allows: the rules of its robots.txt, and the delay between requests."""
