"""Words, sentences and languages of a text; pure. Every package may import it."""
