"""Collections over the whole flow: what is read into one is answered there and in no other, and a deleted one is gone.

Everything goes over HTTP, with keys that open one collection each; files and pages are read by real workers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx2
import psutil
import pytest
import redis

from api.cli.demo.site_server import serve
from wellread import ApiUnreachable, Client, Refused
from workers.processes.stack import Stack
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.timeout(900)]

ADMIN: Final = "the-operators-own-secret"
#: of a file
PIER: Final = "Who lit the lamp of the north pier for the first time?"
#: of a page
CRANE: Final = "Who sold the old crane of the harbour?"


@dataclass(frozen=True)
class Town:
    """What is read into a collection: equal questions have other answers in each."""

    collection: str
    keeper: str  #: in the file
    seller: str  #: on the page

    @property
    def words(self) -> tuple[str, ...]:
        return (*self.keeper.split(), *self.seller.split())


TOWNS: Final = (Town("harbour", "Alma Rasmussen", "Ines Duarte"), Town("estuary", "Bruno Lindqvist", "Ngozi Okafor"))


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stack]:
    for name, value in (("WIKIPEDIA", "false"), ("API_PORT", "0"), ("API_KEYS", f"admin:{ADMIN}")):
        monkeypatch.setenv(f"WELLREAD_{name}", value)
    with Stack(load(), flower=False) as stack:
        yield stack


def until(holds: Callable[[], object], within_s: float = 180) -> None:
    deadline = time.monotonic() + within_s
    while True:
        with suppress(ApiUnreachable):  # a busy machine's first search takes long
            if holds():
                return
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.3)


@contextmanager
def filled(url: str, town: Town, site: Path) -> Iterator[Client]:
    """A client whose key opens one new collection, after a file and a page were read into it."""
    with Client(url, key=ADMIN) as admin:
        admin.add_collection(town.collection)
        secret = admin.add_key(f"of-{town.collection}", role="operate", collections=[town.collection]).secret
    with (
        serve(site) as served,
        Client(url, key=ADMIN, collection=town.collection) as admin,
        Client(url, key=str(secret)) as client,
    ):
        file = f"The lamp of the north pier was lit for the first time by {town.keeper}, in the winter of 1911."
        client.add_file("pier.md", f"# The lamp\n\n{file}\n".encode())
        (site / "crane.html").write_text(
            "<html><head><title>The crane</title></head><body><main><h1>The crane</h1><p>The old crane of the harbour "
            f"was sold by {town.seller} in 1950, after the last timber ship had left.</p></main></body></html>"
        )
        admin.add_source(f"{served.origin}/", own=True, min_delay_s=0.0)
        client.read(f"{served.origin}/crane.html")
        until(lambda: [file.in_knowledge_base for file in client.files()] == [True])
        until(lambda: town.seller in str([passage.json for passage in client.search(CRANE)]))
        yield client


def answer(client: Client, question: str) -> tuple[str, str]:
    record = client.ask(question, crawl_enabled=False, wait=120)
    return record.status, str(record.json)


def everything(stack: Stack) -> Iterator[tuple[str, bytes]]:
    """Every file of the data folder, and every key of Redis with its value."""
    folder = load().data_dir
    for path in folder.rglob("*"):
        if path.is_file() and "logs" not in path.relative_to(folder).parts:
            yield str(path), path.read_bytes()
    with redis.Redis.from_url(load().redis) as broker:
        for key in broker.scan_iter():
            yield str(key), key + (broker.dump(key) or b"")


def still_open(stack: Stack, collection_id: str) -> list[str]:
    """The files of a collection that a process holds open, deleted ones included."""
    held = []
    for pid in stack.pids().values():
        for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
            links = Path(f"/proc/{process.pid}/fd").iterdir()
            held += [f"{process.name()} {target}" for target in map(_target, links) if collection_id in target]
    return held


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # it was closed meanwhile
        return ""


def test_nothing_crosses_and_a_deleted_one_leaves_nothing(stack: Stack, tmp_path: Path) -> None:
    url = stack.address.api_url
    sites = [tmp_path / town.collection for town in TOWNS]
    for site in sites:
        site.mkdir()
    with (
        filled(url, TOWNS[0], sites[0]) as harbour,
        filled(url, TOWNS[1], sites[1]) as estuary,
        Client(url, key=ADMIN) as admin,
    ):
        pairs = ((harbour, *TOWNS), (estuary, *reversed(TOWNS)))
        for client, own, foreign in pairs:
            for question, name in ((PIER, own.keeper), (CRANE, own.seller)):
                status, said = answer(client, question)
                assert (status, name in said) == ("ANSWERED", True)
                assert not [word for word in foreign.words if word in said]
            found = str([passage.json for passage in client.search("lamp of the north pier, old crane")])
            assert own.keeper in found
            assert not [word for word in foreign.words if word in found]
            with Client(url, key=client_key(client), collection=foreign.collection) as other:
                for attempt in (lambda c=other: c.search("lamp"), lambda c=other: c.ask(PIER, wait=0)):
                    with pytest.raises(Refused, match="no collection"):
                        attempt()
            assert [each.name for each in client.collections()] == [own.collection]
        assert answer(admin, PIER)[0] == answer(admin, CRANE)[0] == "ABSTAINED"  # of the default collection
        of_estuary = [question["id"] for question in questions(url, client_key(estuary))]
        assert of_estuary
        for question_id in of_estuary:
            with pytest.raises(Refused, match="no question"):
                harbour.get(question_id)

        deleted = next(each.id for each in admin.collections() if each.name == "estuary")
        assert any(deleted in name for name, _ in everything(stack))
        admin.delete_collection("estuary")
        with pytest.raises(Refused, match="no collection"):
            estuary.ask(PIER, wait=0)
        until(lambda: still_open(stack, deleted) == [])
        left = {name for name, held in everything(stack) if deleted in name or any_in(held, TOWNS[1].words)}
        assert left == set()
        assert TOWNS[0].keeper in answer(harbour, PIER)[1]


def client_key(client: Client) -> str:
    """The key that a client sends."""
    return str(client._http.headers["authorization"]).removeprefix("Bearer ")


def questions(url: str, key: str) -> list[dict[str, str]]:
    """The latest questions that a key sees."""
    response = httpx2.get(f"{url}/api/questions", headers={"X-API-Key": key}, timeout=60, trust_env=False)
    found: list[dict[str, str]] = response.json()
    return found


def any_in(held: bytes, words: tuple[str, ...]) -> bool:
    return any(word.encode() in held for word in words)
