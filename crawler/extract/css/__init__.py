"""Read a page's CSS, as far as it decides which elements a reader sees."""
