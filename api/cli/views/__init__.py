"""How the terminal shows what it shows."""
