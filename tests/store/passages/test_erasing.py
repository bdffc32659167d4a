"""What was deleted is in no file of the table any more, and who searches meanwhile notices nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from store.passages.writer import PassagesWriter
from tests.store.passages.library import Letters, found, page, passage, vectors_of

RARE = "xylographer quomodocunquize"


def fill(table: PassagesWriter, pages: int) -> None:
    """Write so many pages of ten passages, and page 1 with the rare words."""
    if pages:
        filler = {number: page(number, f"filler {number}", passages=10) for number in range(100, 100 + pages)}
        table.replace_pages(filler, vectors_of(filler, np.random.default_rng(7)))
    table.write_pages({1: [passage(1, 0, f"aa {RARE}"), passage(1, 1, "bb other")]}, Letters())


def files(uri: str, pattern: str) -> set[Path]:
    return {path for path in Path(uri).glob(f"passages.lance/{pattern}") if path.is_file()}


def holding_rare_words(uri: str) -> set[Path]:
    words = [word.encode() for word in RARE.split()]
    return {path for path in files(uri, "**/*") if any(word in path.read_bytes() for word in words)}


@pytest.mark.parametrize("pages", [0, 1, 50, 600])  # 6,000 passages have a vector index
@pytest.mark.parametrize("is_compacted", [True, False])
def test_no_file_is_left_that_held_a_deleted_row(
    table: PassagesWriter, uri: str, pages: int, is_compacted: bool
) -> None:
    fill(table, pages)
    if is_compacted:
        for _ in range(3):  # until it is in one file, and in one part of each index
            table.maintain()
    assert holding_rare_words(uri)
    held = files(uri, "data/*") | files(uri, "_indices/*/part_*")  # these may be compressed
    table.delete_pages([1])
    table.erase_deleted()
    assert not holding_rare_words(uri)
    assert not held & files(uri, "**/*")
    assert not files(uri, "_deletions/*")
    assert (table.count(), found(table, RARE)) == (10 * pages, [])
    table.write_pages({2: [passage(2, 0, RARE)]}, Letters())
    assert found(table, RARE) == ["2-0"]
    assert bool(found(table, "filler")) == bool(pages)


def test_erasing_again_changes_no_row(library: PassagesWriter) -> None:
    library.delete_pages([1])
    for _ in range(2):
        library.erase_deleted()
        assert library.page_ids() == {2, 3}


@pytest.mark.timeout(120)
def test_who_searches_in_other_processes_meanwhile_notices_nothing(table: PassagesWriter, uri: str) -> None:
    fill(table, 100)
    readers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.store.passages.reader", uri, memory],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for memory in ("0", str(2**26))
    ]
    for reader in readers:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
    for turn in range(15):
        table.write_pages({2: [passage(2, 0, f"bb {RARE} {turn}")]}, Letters())
        table.delete_pages([2])
        table.erase_deleted()
    for reader in readers:
        searches, _, failed = reader.communicate(timeout=60)[0].strip().partition(" ")
        assert not failed
        assert int(searches) > 15
