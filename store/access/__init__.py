"""The collections and the API keys, which the default collection's database lists."""
