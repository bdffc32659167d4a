"""What the embedders are tried on."""

from __future__ import annotations

TEXTS = [
    "How old are you?",
    "The Normans gave their name to Normandy, a region in France.",
    "os.getcwd() returns the current working directory.",
    "word " * 400,
    "",
]


PROSE = [
    "The Normans were the people who in the 10th and 11th centuries gave their name to Normandy, a region in France.",
    "In what country is Normandy located?",
    "os.getcwd() returns a string representing the current working directory, and os.chdir() changes it to a path.",
    "Computational complexity theory classifies problems by how much time and memory the best algorithm needs.",
    "Steam engines are external combustion engines, where the working fluid is separate from the combustion products.",
    "Who designed the garden of the university's library, and when was it opened to the public?",
]
