"""What the command line works with: the API that is named, or this machine's own database."""
