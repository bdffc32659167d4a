"""From hits to an answer: composing, citing, showing contradictions, refusing."""
