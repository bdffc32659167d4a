"""How the models in this repository were made: MiniLM's files and the reader."""
