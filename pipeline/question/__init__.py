"""Understanding the question: its analysis, answer type, strategy and variants."""
