"""Translate a text into English word by word; the words are in the lexicons of this folder."""
