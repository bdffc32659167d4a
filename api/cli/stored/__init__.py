"""The commands on what is stored: list, show, delete, export and import it."""
