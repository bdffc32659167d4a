"""Count the lexicons of `text/gloss` from texts that stand in English and in another language."""
