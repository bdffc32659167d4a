"""A child process that replaces pages for ever, for the tests that kill it."""

from __future__ import annotations

import sys

import numpy as np

from store.passages.writer import PassagesWriter
from tests.store.passages.library import page, vectors_of

if __name__ == "__main__":
    uri, first = sys.argv[1], int(sys.argv[2])
    table = PassagesWriter.open(uri, embedder_id="test", dimension=4)
    print("ready", flush=True)
    for turn in range(first, first + 10_000):
        pages = {number: page(number, f"turn {turn}", passages=3 + (turn + number) % 5) for number in range(1, 21)}
        table.replace_pages(pages, vectors_of(pages, np.random.default_rng(turn)))
