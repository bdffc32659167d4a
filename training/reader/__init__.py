"""How the bundled reader was made: three layers that read a question and a passage together."""
