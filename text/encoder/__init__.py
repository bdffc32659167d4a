"""The bundled encoder: its files, and what runs it. Importing this is cheap."""
