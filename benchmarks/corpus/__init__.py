"""Knowledge bases of any size to measure on."""
