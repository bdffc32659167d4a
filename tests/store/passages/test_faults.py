from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from domain import Passage
from store.passages.errors import PassagesError
from store.passages.table import Passages
from store.passages.writer import PassagesWriter, reindex
from tests.store.passages.library import LIBRARY, Letters, batches, page, vectors_of

ROOT = Path(__file__).parents[3]


def library_at(uri: str) -> PassagesWriter:
    table = PassagesWriter.open(uri, embedder_id="test", dimension=4)
    table.write_pages(LIBRARY, Letters())
    return table


def whole_pages(table: PassagesWriter) -> dict[int, str]:
    """Return each page's turn; fail on a page that mixes turns, lacks a part or has one twice."""
    pages: dict[int, list[Passage]] = defaultdict(list)
    for stored in table.passages_of(table.page_ids()):
        pages[stored.page_id].append(stored)
    turns = {}
    for page_id, passages in pages.items():
        [turn] = {p.text.partition(" part ")[0] for p in passages}
        assert [p.text for p in passages] == [f"{turn} part {o} of {len(passages)}" for o in range(len(passages))]
        turns[page_id] = turn
    return turns


@pytest.mark.live
def test_a_writer_killed_at_any_moment_leaves_every_page_whole(uri: str) -> None:
    start = {number: page(number, "turn 0", passages=4) for number in range(1, 21)}
    table = PassagesWriter.open(uri, embedder_id="test", dimension=4)
    table.replace_pages(start, vectors_of(start, np.random.default_rng(0)))
    turns: set[str] = set()
    for attempt in range(8):
        arguments = [sys.executable, "-m", "tests.store.passages.writer", uri, str(1 + attempt * 10_000)]
        writer = subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert writer.stdout
        assert writer.stdout.readline() == "ready\n"
        time.sleep(0.15 + attempt * 0.061)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        seen = whole_pages(Passages.open(uri, embedder_id="test", dimension=4))
        assert set(seen) == set(start)
        assert len(set(seen.values())) == 1  # twenty pages in one commit: all of a turn or none
        turns |= set(seen.values())
    assert len(turns) >= 4  # the children did write before they were killed
    again = PassagesWriter.open(uri, embedder_id="test", dimension=4)
    again.maintain()
    assert len(again.search_text("turn", lang="en", k=200)) == again.count()


@pytest.mark.live
def test_two_writers_at_once_make_no_duplicates(uri: str) -> None:
    Passages.open(uri, embedder_id="test", dimension=4)
    code = (
        "import sys, numpy as np\n"
        "from store.passages.writer import PassagesWriter\n"
        "from tests.store.passages.library import page, vectors_of\n"
        "table = PassagesWriter.open(sys.argv[1], embedder_id='test', dimension=4)\n"
        "for turn in range(12):\n"
        "    pages = {n: page(n, f'turn {turn}', passages=3) for n in range(1, 6)}\n"
        "    table.replace_pages(pages, vectors_of(pages, np.random.default_rng(0)))\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, uri], cwd=ROOT) for _ in range(3)]
    assert [writer.wait(timeout=100) for writer in writers] == [0, 0, 0]
    table = Passages.open(uri, embedder_id="test", dimension=4)
    assert table.count() == 15
    assert set(whole_pages(table).values()) == {"turn 11"}


@pytest.mark.live
def test_processes_that_open_a_missing_table_at_once_share_it(uri: str) -> None:
    code = (
        "import sys\nfrom store.passages.writer import PassagesWriter\n"
        "from tests.store.passages.library import Letters, passage\n"
        "table = PassagesWriter.open(sys.argv[1], embedder_id='test', dimension=4)\n"
        "table.write_pages({int(sys.argv[2]): [passage(int(sys.argv[2]), 0, 'text')]}, Letters())\n"
    )
    openers = [subprocess.Popen([sys.executable, "-c", code, uri, str(n)], cwd=ROOT) for n in range(4)]
    assert [opener.wait(timeout=100) for opener in openers] == [0, 0, 0, 0]
    assert Passages.open(uri, embedder_id="test", dimension=4).page_ids() == {0, 1, 2, 3}


@pytest.mark.live
def test_a_process_forked_after_opening_is_refused_and_one_forked_before_works(uri: str) -> None:
    code = (
        "import os, sys, warnings\n"
        "from store.passages.table import Passages\n"
        "from store.passages.errors import OpenedBeforeFork\n"
        "def opened():\n"
        "    return Passages.open(sys.argv[1], embedder_id='test', dimension=4)\n"
        "def in_child(work):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        os._exit(work())\n"
        "    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"
        "def refused(work):\n"
        "    try:\n"
        "        work()\n"
        "    except OpenedBeforeFork as error:\n"
        "        return 'spawn' in str(error)\n"
        "    return False\n"
        "warnings.simplefilter('ignore')\n"
        "assert in_child(lambda: opened().count()) == 4\n"
        "table = opened()\n"
        "assert in_child(lambda: refused(table.count) and refused(opened)) == 1\n"
        "assert table.count() == 4\n"
    )
    library_at(uri)
    subprocess.run([sys.executable, "-c", code, uri], cwd=ROOT, timeout=60, check=True)


def test_a_reindex_that_stops_half_way_harms_nothing_and_goes_on_later(uri: str) -> None:
    table = library_at(uri)

    def stopping() -> Iterator[Mapping[int, Sequence[Passage]]]:
        yield {1: LIBRARY[1]}
        yield {8: page(8, "gone later", passages=1)}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reindex(uri, stopping(), Letters("other", "abcde"))
    assert table.passages_of([1, 2, 3]) == [p for passages in LIBRARY.values() for p in passages]
    assert Passages.open(uri, embedder_id="test", dimension=4).count() == 4

    embedder = Letters("other", "abcde")
    assert reindex(uri, batches(LIBRARY), embedder) == 4
    assert len(embedder.asked) == 2  # page 1 was embedded before the stop
    assert Passages.open(uri, embedder_id="other", dimension=5).page_ids() == {1, 2, 3}


def test_a_write_during_a_reindex_stops_it(uri: str) -> None:
    table = library_at(uri)

    def writing() -> Iterator[Mapping[int, Sequence[Passage]]]:
        yield LIBRARY
        table.delete_pages([1])

    with pytest.raises(PassagesError, match="Stop the workers"):
        reindex(uri, writing(), Letters("other", "abcde"))
    assert table.page_ids() == {2, 3}


def test_a_damaged_table_says_how_it_is_built_again_and_is(uri: str) -> None:
    library_at(uri)
    for manifest in (Path(uri) / "passages.lance" / "_versions").iterdir():
        manifest.write_bytes(b"garbage")
    with pytest.raises(PassagesError, match="wellread reindex"):
        Passages.open(uri, embedder_id="test", dimension=4)
    assert reindex(uri, batches(LIBRARY), Letters()) == 4
    assert Passages.open(uri, embedder_id="test", dimension=4).page_ids() == {1, 2, 3}


def test_missing_data_files_say_how_the_table_is_built_again(uri: str) -> None:
    library_at(uri)
    for data in (Path(uri) / "passages.lance" / "data").iterdir():
        data.unlink()
    with pytest.raises(PassagesError, match="wellread reindex"):
        Passages.open(uri, embedder_id="test", dimension=4).passages_of([1])
    assert reindex(uri, batches(LIBRARY), Letters()) == 4
    assert Passages.open(uri, embedder_id="test", dimension=4).count() == 4


def test_a_place_that_cannot_be_written_is_named() -> None:
    with pytest.raises(PassagesError, match="/proc/nowhere"):
        Passages.open("/proc/nowhere/lance", embedder_id="test", dimension=4)


@pytest.mark.live
def test_a_full_disk_is_an_error_and_what_was_stored_stays(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)], check=False)
    if mounted.returncode:
        pytest.skip("needs the right to mount a small file system")
    try:
        table = library_at(str(small / "lance"))
        noise = np.random.default_rng(0).integers(0, 10**9, size=(20, 4_000))
        big = {number: page(number, " ".join(map(str, noise[number])), passages=5) for number in range(20)}
        with pytest.raises(PassagesError, match="disk is full"):
            table.replace_pages(big, vectors_of(big, np.random.default_rng(0)))
        assert table.passages_of([1]) == LIBRARY[1]
        assert Passages.open(str(small / "lance"), embedder_id="test", dimension=4).page_ids() == {1, 2, 3}
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)
