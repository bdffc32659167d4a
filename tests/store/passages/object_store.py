"""A knowledge base in an object store: written, searched, changed and erased over S3, and built again from SQL.

moto's server speaks S3. Its packages are in a venv of their own: `make frameworks` runs this there.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import closing

import pytest

from domain import Status
from store.passages import connect
from store.passages.table import Passages
from store.passages.writer import PassagesWriter
from tests.store.passages.library import LIBRARY, Letters, found, passage
from tests.workers.collections.conftest import main as main
from tests.workers.collections.two import ask, store_page
from workers.services import Services
from workers.services import collections as kept

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a running store with a bucket, and the settings that docs/how-to/servers.md names."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    known = {"REGION": "us-east-1", "ACCESS_KEY_ID": "key", "SECRET_ACCESS_KEY": "secret", "ENDPOINT": address}
    for name, value in {**known, "ALLOW_HTTP": "true"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _make_bucket(f"{address}/knowledge", server)
        yield address
    finally:
        server.terminate()
        server.wait(10)


def _make_bucket(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert server.poll() is None, "the server ended at once: run `make frameworks`"
        try:
            urllib.request.urlopen(urllib.request.Request(url, method="PUT"), timeout=10)
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server did not start")


def objects(address: str, below: str) -> int:
    """How many objects there are."""
    with urllib.request.urlopen(f"{address}/knowledge?list-type=2&prefix={below}") as listed:
        return int(listed.read().count(b"<Key>"))


def test_passages_are_written_found_changed_and_erased(s3: str) -> None:
    name, embedder = uuid.uuid4().hex, Letters()
    uri = f"s3://knowledge/{name}"
    writer = PassagesWriter.open(uri, embedder_id=embedder.id, dimension=embedder.dimension)
    reader = Passages.open(uri, embedder_id=embedder.id, dimension=embedder.dimension)
    writer.write_pages(LIBRARY, embedder)
    assert found(reader, "houses") == ["1-1"]
    assert [hit.passage.id for hit in reader.search_vectors(embedder.embed(["aa"]), k=1)[0]] == ["1-0"]
    writer.write_pages({1: [passage(1, 0, "bb a new text")]}, embedder)
    assert (found(reader, "houses"), found(reader, "new text")) == ([], ["1-0"])
    writer.delete_pages([2])
    writer.maintain()
    assert reader.page_ids() == {1, 3}
    assert objects(s3, name) > 0
    connect.erase(uri)
    assert objects(s3, name) == 0


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_question_is_answered_from_there_and_a_deleted_collection_is_gone(s3: str, main: Services) -> None:
    main.settings = main.settings.model_copy(update={"passages_uri": f"s3://knowledge/{uuid.uuid4().hex}"})
    kept.add(main, "other")
    other = main.of("other")
    store_page(main, "Alma Rasmussen")
    store_page(other, "Bruno Lindqvist")
    for services, name in ((main, "Alma"), (other, "Bruno")):
        record = ask(services)
        assert (record.status, name in str(record.answer)) == (Status.ANSWERED, True)
    held = other.passages_uri.removeprefix("s3://knowledge/")
    assert objects(s3, held) > 0
    kept.delete(main, "other")
    assert objects(s3, held) == 0
    assert "Alma" in str(ask(main, reuse=False).answer)
