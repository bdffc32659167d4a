"""MiniLM's own files, and the parts of it that the embedder and the reader share. Importing this is cheap."""
