"""The rules of robots.txt, and how long to leave a host alone."""
