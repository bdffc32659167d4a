"""A child process that searches until its input is closed, for the test that erases meanwhile; says what failed."""

from __future__ import annotations

import sys
import threading

import numpy as np

from store.passages.errors import PassagesError
from store.passages.table import Passages
from tests.store.passages.library import found

if __name__ == "__main__":
    uri, memory = sys.argv[1], int(sys.argv[2])
    table = Passages.open(uri, embedder_id="test", dimension=4, memory_bytes=memory)
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    searches, failed = 0, ""
    print("ready", flush=True)
    while not over.is_set() and not failed:
        try:
            [near] = table.search_vectors(np.ones((1, 4), dtype=np.float32), k=5)
            some = table.passages_of([100, 101])
            if len(near) < 5 or len(some) < 2 or "1-0" not in found(table, "aa") or table.vectors_for(["|none"]):
                failed = f"{near} {some}"
        except PassagesError as error:
            failed = str(error)
        searches += 1
    print(searches, failed)
