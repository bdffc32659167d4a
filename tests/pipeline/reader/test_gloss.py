from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit
from pipeline.judging.features import gather_evidence
from pipeline.judging.nearness import best_first
from pipeline.judging.sentences import spans_of
from pipeline.question.analysis import analyse_question
from pipeline.reader.gloss import FOLDER, GLOSSED, SMALL_WORDS, VECTORS, WORDS, Glosser
from pipeline.reader.read_hits import READ_FIRST, read_hits
from pipeline.reader.reader import Reader
from store.embedders import Embedder, open_embedder
from tests.fakes import passage

GERMAN = analyse_question("Bleiben die alten Sicherungen für immer liegen?", "de")
TEXT = (
    "Das Fenster hat drei Knöpfe. "
    "Alte Sicherungen werden nach dreißig Tagen gelöscht. "
    "Der Drucker steht im Büro neben der Küche."
)


class Counting:
    """The multilingual embedder, and how many texts it was given."""

    def __init__(self, inner: Embedder) -> None:
        self._inner, self.asked = inner, 0

    def embed_in_any_language(self, texts: Sequence[str]) -> Any:
        self.asked += len(texts)
        return self._inner.embed(texts)


@pytest.fixture(scope="module")
def multilingual() -> Embedder:
    return open_embedder("multilingual")


@pytest.fixture(scope="module")
def glosser(multilingual: Embedder) -> Glosser:
    return Glosser(Counting(multilingual))


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def hits_of(*texts: str, lang: str = "de") -> list[Hit]:
    passages = [replace(passage(text, page_id=at), lang=lang) for at, text in enumerate(texts)]
    return [Hit(passage=each, score=0.5, scale="rerank", rank=rank) for rank, each in enumerate(passages, start=1)]


@pytest.mark.parametrize(
    ("lang", "text", "english"),
    [
        ("de", "Wie öffne ich das Fenster?", "how opening I the window?"),
        ("fr", "Où est le roi?", "where is the king?"),
        ("es", "¿Dónde está la ciudad?", "¿where is the city?"),
        ("it", "Quando è la guerra?", "when is the war?"),
        ("pt", "Quem é o rei?", "who is the king?"),
        ("nl", "Waar is de stad?", "where is the city?"),
        ("en", "Wie öffne ich das Fenster?", "Wie öffne ich das Fenster?"),
        ("pl", "Gdzie jest król?", "Gdzie jest król?"),
        ("de", "", ""),
    ],
)
def test_words_become_english_and_all_between_them_stays(glosser: Glosser, lang: str, text: str, english: str) -> None:
    [gloss] = glosser.gloss([(text, lang)])
    assert gloss.text == english


def test_a_word_is_looked_up_once(multilingual: Embedder) -> None:
    counting = Counting(multilingual)
    glosser = Glosser(counting)
    once = glosser.gloss([("Fenster und Drucker", "de"), ("Fenster", "de")])
    assert counting.asked == 2  # "und" is in the table
    assert glosser.gloss([("Fenster und Drucker", "de"), ("Fenster", "de")]) == once
    assert counting.asked == 2


def test_more_words_than_are_compared_at_a_time_are_glossed(glosser: Glosser) -> None:
    words = [f"wort{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(600)]
    [gloss] = glosser.gloss([(" ".join([*words, "Fenster"]), "de")])
    assert gloss.text.endswith(" window")
    assert len(gloss.glossed) == 601


@given(st.text(max_size=80))
def test_each_word_of_any_text_has_its_place_in_the_gloss(text: str) -> None:
    [gloss] = Glosser(Nothing()).gloss([(text, "de")])
    assert gloss.place((0, len(text))) == ((gloss.glossed[0][0], gloss.glossed[-1][1]) if gloss.glossed else (0, 0))
    for original, there in zip(gloss.original, gloss.glossed, strict=True):
        assert gloss.place(original) == there
    assert gloss.place((len(text), len(text))) == (0, 0)


class Nothing:
    """An embedder to which no two texts are near."""

    def embed_in_any_language(self, texts: Sequence[str]) -> Any:
        return np.zeros((len(texts), 512), dtype=np.float32)


def test_the_reader_finds_the_sentence_that_answers_in_german(reader: Reader, glosser: Glosser) -> None:
    [hit] = read_hits(reader, GERMAN, hits_of(TEXT), glosser)
    assert hit.reading
    spans = [(span.start, span.end) for span in spans_of(hit.passage, "de")]
    evidence, scores = hit.reading.evidence(spans), hit.reading.sentence_scores(spans)
    assert max(range(3), key=evidence.__getitem__) == max(range(3), key=scores.__getitem__) == 1
    assert hit.reading.short_answer() is None
    assert hit.reading.evidence([(0, 0)]) == [-10.0]


@pytest.mark.parametrize(("lang", "of_page"), [("de", "en"), ("en", "de"), ("de", "und"), ("de", "fr")])
def test_question_and_page_may_have_two_languages(reader: Reader, glosser: Glosser, lang: str, of_page: str) -> None:
    analysis = analyse_question("Wo steht der Drucker?" if lang == "de" else "Where is the printer?", lang)
    [hit] = read_hits(reader, analysis, hits_of("Text.", lang=of_page), glosser)
    assert hit.reading


@pytest.mark.parametrize(("lang", "of_page"), [("pl", "pl"), ("de", "pl"), ("ja", "en")])
def test_what_has_no_table_of_small_words_is_not_read(
    reader: Reader, glosser: Glosser, lang: str, of_page: str
) -> None:
    analysis = replace(analyse_question("Wo steht der Drucker?", "de"), lang=lang)
    [hit] = read_hits(reader, analysis, hits_of("Text.", lang=of_page), glosser)
    assert hit.reading is None


def test_the_judge_is_told_that_a_gloss_was_read_and_compared(
    multilingual: Embedder, reader: Reader, glosser: Glosser
) -> None:
    embedder = open_embedder("minilm+multilingual")
    hits = hits_of(*(f"Der Drucker Nummer {number} steht im Büro." for number in range(READ_FIRST + 2)), TEXT)
    ordered = best_first(embedder, reader, glosser, GERMAN, hits)
    assert ordered[0].passage.text == TEXT
    assert [hit.reading is not None for hit in ordered] == [True] * READ_FIRST + [False] * 3
    evidence = gather_evidence(GERMAN, ordered)
    assert evidence
    assert (evidence.is_read, evidence.is_compared, evidence.is_crossed) == (True, True, False)
    assert evidence.near > 0
    assert evidence.cosine > 0


def test_hits_are_all_read_or_none(reader: Reader, glosser: Glosser) -> None:
    embedder = open_embedder("minilm+multilingual")
    polish = hits_of("Drukarka stoi w biurze.", lang="pl")
    ordered = best_first(embedder, reader, glosser, GERMAN, [*hits_of(TEXT), *polish])
    assert not any(hit.reading for hit in ordered)
    assert all(hit.nearness for hit in ordered)


def test_each_language_has_the_small_words_of_a_question() -> None:
    table = json.loads((FOLDER / SMALL_WORDS).read_text("utf-8"))
    assert table.keys() == GLOSSED
    for words in table.values():
        assert {"how", "what", "who", "where", "when", "not", "the", "a", "and"} <= set(words.values())
        assert all(word == word.lower() for word in words)


def test_each_english_word_has_a_vector() -> None:
    words = (FOLDER / WORDS).read_text("utf-8").split()
    assert np.load(FOLDER / VECTORS).shape == (len(words), 512)
    assert len(set(words)) == len(words) > 10_000
