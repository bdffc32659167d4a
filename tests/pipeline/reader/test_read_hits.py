from __future__ import annotations

from dataclasses import replace

import pytest

from domain import Hit
from pipeline.question.analysis import analyse_question
from pipeline.reader.read_hits import READ_FIRST, read_hits
from pipeline.reader.reader import Reader
from tests.fakes import passage

ENGLISH = analyse_question("Who built the mill?", "en")


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def hits_of(count: int, lang: str = "en") -> list[Hit]:
    passages = [replace(passage(f"Crane built mill {number}.", page_id=number), lang=lang) for number in range(count)]
    return [Hit(passage=each, score=0.5, scale="rerank", rank=rank) for rank, each in enumerate(passages, start=1)]


def test_the_first_hits_are_read_and_keep_their_order(reader: Reader) -> None:
    hits = hits_of(READ_FIRST + 2)
    read = read_hits(reader, ENGLISH, hits)
    assert read == hits
    assert [hit.reading is not None for hit in read] == [True] * READ_FIRST + [False] * 2


def test_pages_of_another_language_leave_all_unread(reader: Reader) -> None:
    mixed = [*hits_of(2), *hits_of(1, "de")]
    assert not any(hit.reading for hit in read_hits(reader, ENGLISH, mixed))


def test_questions_of_another_language_leave_all_unread(reader: Reader) -> None:
    german = analyse_question("Wer hat die Mühle gebaut?", "de")
    assert not any(hit.reading for hit in read_hits(reader, german, hits_of(2)))


def test_without_a_reader_nothing_is_read(reader: Reader) -> None:
    read = read_hits(reader, ENGLISH, hits_of(2))
    assert not any(hit.reading for hit in read_hits(None, ENGLISH, read))


def test_no_hits_stay_none(reader: Reader) -> None:
    assert read_hits(reader, ENGLISH, []) == []
