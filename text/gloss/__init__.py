"""Put a text into English word by word; the words are in the lexicons beside this."""
