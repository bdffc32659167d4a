"""What a page's CSS says about which elements a reader sees."""
