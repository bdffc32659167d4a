"""Count the lexicons of `text/translation` from texts in English and in another language."""
