from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from store.passages.connect import is_there
from store.passages.errors import PassagesLost
from store.passages.table import Passages
from store.passages.writer import PassagesWriter
from tests.store.passages.library import Letters, found, passage


def test_a_reader_sees_a_commit_at_once(library: PassagesWriter, uri: str) -> None:
    reader = Passages.open(uri, embedder_id="test", dimension=4)
    assert found(reader, "fresh") == []
    library.write_pages({7: [passage(7, 0, "fresh")]}, Letters())
    assert found(reader, "fresh") == ["7-0"]
    assert reader._table().version == library._table().version


def test_a_reader_makes_no_table_and_sees_the_one_that_its_writer_makes_later(tmp_path: Path) -> None:
    uri = str(tmp_path / "passages")
    reader = Passages.open(uri, embedder_id="test", dimension=4, memory_bytes=2**20)
    assert (reader.count(), found(reader, "fresh")) == (0, [])
    assert reader.search_vectors(np.ones((1, 4), dtype=np.float32), k=2) == [[]]
    assert not is_there(uri)
    writer = PassagesWriter.open(uri, embedder_id="test", dimension=4)
    writer.write_pages({7: [passage(7, 0, "fresh")]}, Letters())
    assert is_there(uri)
    assert found(reader, "fresh") == ["7-0"]
    assert reader._table().version == writer._table().version


@pytest.mark.parametrize("kind", [Passages, PassagesWriter])
def test_a_table_that_was_lost_is_never_made_anew(library: PassagesWriter, uri: str, kind: type[Passages]) -> None:
    shutil.rmtree(uri)
    with pytest.raises(PassagesLost, match="wellread reindex"):
        kind.open(uri, embedder_id="test", dimension=4, is_expected=True)
    assert not is_there(uri)


def test_threads_search_while_the_writer_writes(library: PassagesWriter) -> None:
    failures: list[str] = []
    done = threading.Event()

    def search() -> None:
        while not done.is_set():
            hits = library.search_text("straße", lang="de", k=5)
            [near] = library.search_vectors(np.ones((1, 4), dtype=np.float32), k=2)
            if not {"1-0", "2-0"} <= {hit.passage.id for hit in hits} or len(near) != 2:
                failures.append(f"{hits} {near}")

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(10):
        library.write_pages({50 + turn: [passage(50 + turn, 0, "bb other")]}, Letters())
    done.set()
    for thread in threads:
        thread.join()
    assert not failures


def test_importing_opens_nothing() -> None:
    code = "import sys, store.passages.writer; print('lancedb' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_lancedb_is_opened_without_a_client_of_rest_catalogues_until_someone_asks_for_it(tmp_path: Path) -> None:
    code = (
        "import sys; from store.passages.connect import connect; connect(sys.argv[1]);"
        "import lance_namespace_urllib3_client as client; said = [client.__name__ + '.api' in sys.modules];"
        "print(*said, client.ApiClient.__name__, client.__name__ + '.api' in sys.modules, hasattr(client, 'nothing'))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "ApiClient", "True", "False"]
