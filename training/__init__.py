"""How the models in this repository were made: the bundled encoder and the reader."""
