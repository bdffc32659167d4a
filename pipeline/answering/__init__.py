"""From hits to an answer: composing, citing, refusing."""
