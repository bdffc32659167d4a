"""How the bundled encoder in this repository was made: data, training, measure, export."""
