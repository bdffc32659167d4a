"""The routes of collections and of API keys."""
