"""What a language model is asked about real pages, and replies that are replayed."""
