"""Page text as data: prompt injection recognised, markup made harmless."""
