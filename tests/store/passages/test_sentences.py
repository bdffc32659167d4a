"""The vectors of a passage's sentences are kept beside its own, and say which sentence is nearest to a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from domain import Passage
from store.embedders.bundled import MiniLM
from store.passages.schema import NUMBERS, cosines_of, pack
from store.passages.table import Passages
from store.passages.writer import PassagesWriter
from tests.store.passages.library import Letters, passage
from tests.store.passages.test_memory import wait_for_copy

WELL = passage(1, 0, "The well was dug in 1742 by two brothers. Its rope is made of hemp.", title="The village")
SCHOOL = passage(2, 0, "The school has four rooms.", title="The village")


class Counted(MiniLM):
    """Counts the texts it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        self.texts += texts
        return super().embed_passages(texts)


@pytest.fixture(scope="module")
def embedder() -> Counted:
    return Counted()


@pytest.fixture
def table(tmp_path: Path, embedder: Counted) -> Iterator[Passages]:
    opened = PassagesWriter.open(str(tmp_path), embedder_id=embedder.id, dimension=embedder.dimension)
    opened.write_pages({1: [WELL], 2: [SCHOOL]}, embedder)
    return opened


def asked(embedder: MiniLM, question: str) -> NDArray[np.float32]:
    [vector] = embedder.embed([question])
    return vector


def test_packed_rows_keep_their_cosine() -> None:
    rows = np.random.default_rng(3).normal(size=(5, NUMBERS)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert cosines_of(rows[3], pack(rows)) == pytest.approx(rows @ rows[3], abs=0.01)
    assert not len(cosines_of(rows[0], pack(rows[:0])))


def test_the_nearest_sentence_counts(table: PassagesWriter, embedder: Counted) -> None:
    found = table.sentence_similarities(asked(embedder, "What is the rope made of?"), [WELL.id, SCHOOL.id, "unknown"])
    assert set(found) == {WELL.id, SCHOOL.id}
    assert max(found[WELL.id]) > max(found[SCHOOL.id]) + 0.1


def test_a_copy_in_memory_says_the_same(tmp_path: Path, table: PassagesWriter, embedder: Counted) -> None:
    reader = Passages.open(str(tmp_path), embedder_id=embedder.id, dimension=embedder.dimension, memory_bytes=2**20)
    wait_for_copy(reader)
    vector = asked(embedder, "Who dug the well?")
    of_table = table.sentence_similarities(vector, [WELL.id])[WELL.id]
    assert reader.sentence_similarities(vector, [WELL.id])[WELL.id].tolist() == of_table.tolist()


def test_an_unchanged_text_keeps_its_sentences(table: PassagesWriter, embedder: Counted) -> None:
    vector = asked(embedder, "Who dug the well?")
    before = table.sentence_similarities(vector, [WELL.id])[WELL.id]
    given = len(embedder.texts)
    assert table.write_pages({1: [WELL]}, embedder).embedded == 0
    assert len(embedder.texts) == given
    assert table.sentence_similarities(vector, [WELL.id])[WELL.id].tolist() == before.tolist()


def test_an_embedder_without_sentences_has_none(tmp_path: Path) -> None:
    letters = Letters()
    table = PassagesWriter.open(str(tmp_path), embedder_id=letters.id, dimension=letters.dimension)
    plain: Passage = passage(1, 0, "abc abc")
    table.write_pages({1: [plain]}, letters)
    assert table.sentence_similarities(np.ones(NUMBERS, dtype=np.float32), [plain.id]) == {}


def test_an_older_table_has_none(tmp_path: Path, table: PassagesWriter, embedder: Counted) -> None:
    table._opened_table.drop_columns(["sentences"])
    again = PassagesWriter.open(str(tmp_path), embedder_id=embedder.id, dimension=embedder.dimension)
    assert again.sentence_similarities(asked(embedder, "Who dug the well?"), [WELL.id]) == {}
    again.write_pages({3: [passage(3, 0, "The bridge is new.", title="The village")]}, embedder)
    assert set(again.sentence_similarities(asked(embedder, "Is the bridge new?"), ["3-0", WELL.id])) == {"3-0"}
