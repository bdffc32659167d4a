"""Words, sentences and languages of a text; pure, and known to every wing."""
