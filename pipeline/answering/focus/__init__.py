"""Find the few words of a sentence that are the answer."""
