from __future__ import annotations

from dataclasses import replace

import pytest

from domain import Hit
from pipeline.judging.reading import READ_FIRST, best_read_first, read_hits
from pipeline.question.analysis import analyse_question
from pipeline.reader import Reader
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


def test_without_glosses_pages_of_another_language_leave_all_unread(reader: Reader) -> None:
    mixed = [*hits_of(2), *hits_of(1, "de")]
    assert not any(hit.reading for hit in read_hits(reader, ENGLISH, mixed, glosses=False))


def test_without_glosses_questions_of_another_language_leave_all_unread(reader: Reader) -> None:
    german = analyse_question("Wer hat die Mühle gebaut?", "de")
    assert not any(hit.reading for hit in read_hits(reader, german, hits_of(2), glosses=False))


def test_without_a_reader_nothing_is_read(reader: Reader) -> None:
    read = read_hits(reader, ENGLISH, hits_of(2))
    assert not any(hit.reading for hit in read_hits(None, ENGLISH, read))


def test_no_hits_stay_none(reader: Reader) -> None:
    assert read_hits(reader, ENGLISH, []) == []


def test_a_hit_behind_the_first_that_answers_is_read_and_comes_further_up(reader: Reader) -> None:
    hits = hits_of(READ_FIRST + 3)
    told = replace(hits[-1].passage, text="Nothing is known of the owner. The mill was built by John Crane in 1831.")
    others = [
        replace(hit, passage=replace(hit.passage, text=f"The weather of week {hit.rank} was mild."))
        for hit in hits[:-1]
    ]
    ordered = best_read_first(reader, ENGLISH, [*others, replace(hits[-1], passage=told)])
    assert ordered[0].passage.text == told.text
    assert [hit.rank for hit in ordered] == list(range(1, len(hits) + 1))
    assert [hit.reading is not None for hit in ordered] == [True] * READ_FIRST + [False] * 3


def test_a_hit_that_was_put_behind_another_by_hand_is_not_put_before_it_by_its_score(reader: Reader) -> None:
    first, second = hits_of(1)[0], hits_of(2)[1]
    hits = [replace(first, score=0.1), replace(second, passage=replace(first.passage, id="twin"), score=0.9)]
    assert [hit.passage.id for hit in best_read_first(reader, ENGLISH, hits)] == [first.passage.id, "twin"]


def test_hits_of_another_language_behind_the_first_stay_behind(reader: Reader) -> None:
    hits = [*hits_of(READ_FIRST), *hits_of(1, "de")]
    ordered = best_read_first(reader, ENGLISH, hits)
    assert ordered[-1].passage.lang == "de"
    assert ordered[-1].reading is None


def test_hits_of_another_language_come_behind_where_eight_can_be_read(reader: Reader) -> None:
    hits = [*hits_of(1), *hits_of(2, "de"), *hits_of(READ_FIRST)[1:]]
    ordered = best_read_first(reader, ENGLISH, hits)
    assert [hit.passage.lang for hit in ordered] == ["en"] * READ_FIRST + ["de"] * 2
    assert all(hit.reading for hit in ordered[:READ_FIRST])
    too_few = hits[:-1]
    assert best_read_first(reader, ENGLISH, too_few) == too_few


def test_hits_that_cannot_be_read_keep_their_order(reader: Reader) -> None:
    mixed = [*hits_of(1, "de"), *hits_of(2)]
    assert best_read_first(reader, ENGLISH, mixed) == mixed
