from __future__ import annotations

from dataclasses import replace

import pytest

from domain import Hit
from pipeline.judging.calibration import features_of
from pipeline.judging.evidence import gather
from pipeline.judging.reading import READ_FIRST, best_first, read_hits
from pipeline.judging.sentences import spans_of
from pipeline.question.analysis import analyse_question
from pipeline.reader import Reader
from store.embedders import open_embedder
from tests.fakes import passage

GERMAN = analyse_question("Bleiben die alten Sicherungen für immer liegen?", "de")
TEXT = (
    "Das Fenster hat drei Knöpfe. "
    "Alte Sicherungen werden nach dreißig Tagen gelöscht. "
    "Der Drucker steht im Büro neben der Küche."
)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def hits_of(*texts: str, lang: str = "de") -> list[Hit]:
    passages = [replace(passage(text, page_id=at), lang=lang) for at, text in enumerate(texts)]
    return [Hit(passage=each, score=0.5, scale="rerank", rank=rank) for rank, each in enumerate(passages, start=1)]


def test_the_reader_finds_the_sentence_that_answers_in_german(reader: Reader) -> None:
    [hit] = read_hits(reader, GERMAN, hits_of(TEXT))
    assert hit.reading
    spans = [(span.start, span.end) for span in spans_of(hit.passage, "de")]
    evidence = hit.reading.evidence(spans)
    assert max(range(3), key=evidence.__getitem__) == 1
    assert hit.reading.evidence([(0, 0)]) == [-10.0]


def test_the_short_answer_is_in_the_words_of_the_passage(reader: Reader) -> None:
    [hit] = read_hits(reader, analyse_question("Wann werden alte Sicherungen gelöscht?", "de"), hits_of(TEXT))
    assert hit.reading
    found = hit.reading.short_answer()
    assert found
    assert TEXT[found.start : found.end] == "nach dreißig Tagen"


@pytest.mark.parametrize(("lang", "of_page"), [("de", "en"), ("en", "de"), ("de", "und"), ("de", "fr")])
def test_question_and_page_may_have_two_languages(reader: Reader, lang: str, of_page: str) -> None:
    analysis = analyse_question("Wo steht der Drucker?" if lang == "de" else "Where is the printer?", lang)
    [hit] = read_hits(reader, analysis, hits_of("Text.", lang=of_page))
    assert hit.reading


@pytest.mark.parametrize(("lang", "of_page"), [("pl", "pl"), ("de", "pl"), ("ja", "en")])
def test_what_has_no_table_of_small_words_is_not_read(reader: Reader, lang: str, of_page: str) -> None:
    analysis = replace(analyse_question("Wo steht der Drucker?", "de"), lang=lang)
    [hit] = read_hits(reader, analysis, hits_of("Text.", lang=of_page))
    assert hit.reading is None


def test_the_judge_is_told_that_a_gloss_was_read_and_compared(reader: Reader) -> None:
    embedder = open_embedder("minilm+multilingual")
    hits = hits_of(*(f"Der Drucker Nummer {number} steht im Büro." for number in range(READ_FIRST + 2)), TEXT)
    ordered = best_first(embedder, reader, GERMAN, hits)
    assert ordered[0].passage.text == TEXT
    assert [hit.reading is not None for hit in ordered] == [True] * READ_FIRST + [False] * 3
    evidence = features_of(gather(GERMAN, ordered))
    assert evidence
    assert (evidence.is_read, evidence.is_compared, evidence.is_crossed) == (True, True, False)
    assert evidence.near > 0
    assert evidence.answers != 0


def test_hits_are_all_read_or_none(reader: Reader) -> None:
    embedder = open_embedder("minilm+multilingual")
    polish = hits_of("Drukarka stoi w biurze.", lang="pl")
    ordered = best_first(embedder, reader, GERMAN, [*hits_of(TEXT), *polish])
    assert not any(hit.reading for hit in ordered)
    assert all(hit.nearness for hit in ordered)


def test_an_embedder_of_english_alone_reads_no_gloss(reader: Reader) -> None:
    assert not any(hit.reading for hit in best_first(open_embedder("minilm"), reader, GERMAN, hits_of(TEXT)))
    assert not any(hit.reading for hit in read_hits(reader, GERMAN, hits_of(TEXT), glosses=False))
