from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from domain import Hit
from domain.outcome import is_far
from pipeline.answering.compose import compose
from pipeline.judging.calibration import features_of
from pipeline.judging.evidence import gather
from pipeline.judging.judge import calibrated_judge
from pipeline.judging.reading import READ_FIRST, best_compared_first, best_first, compare_sentences, read_hits
from pipeline.question.analysis import analyse_question
from pipeline.reader import Reader
from store.embedders import Embedder, open_embedder
from tests.fakes import passage
from text.encoder import reader as model

GERMAN = analyse_question("Der Rechner ist beim Schreiben ausgegangen. Ist meine Arbeit verloren?", "de")
TEXT = (
    "Die Arbeit an einem Bericht beginnt im Menü. "
    "Nach einem Stromausfall stellt das Programm den Text aus der Sicherung wieder her. "
    "Ein Bericht hat Seiten."
)


class Counting:
    """The multilingual embedder, and the texts that it was given."""

    def __init__(self, inner: Embedder) -> None:
        self.id, self._inner, self.asked = inner.id, inner, list[str]()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._inner.embed(texts)

    def embed_in_any_language(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.extend(texts)
        return self._inner.embed(texts)


@pytest.fixture(scope="module")
def multilingual() -> Embedder:
    return open_embedder("multilingual")


def hits_of(*texts: str, lang: str = "de") -> list[Hit]:
    passages = [replace(passage(text, page_id=at), lang=lang) for at, text in enumerate(texts)]
    return [Hit(passage=each, score=0.5, scale="rerank", rank=rank) for rank, each in enumerate(passages, start=1)]


def test_a_sentence_in_other_words_is_nearer_than_one_that_shares_a_word(multilingual: Embedder) -> None:
    (hit,) = compare_sentences(Counting(multilingual), GERMAN, hits_of(TEXT))
    nearest = max(hit.nearness, key=lambda sentence: hit.nearness[sentence])
    assert "Stromausfall" in nearest
    answer = compose(gather(GERMAN, [hit]), confidence=0.5)
    assert answer is not None
    assert "Stromausfall" in answer.citations[0].quote


def test_an_english_question_is_compared_with_german_sentences(multilingual: Embedder) -> None:
    english = analyse_question("What happens to my text after a power failure?", "en")
    (hit,) = compare_sentences(Counting(multilingual), english, hits_of(TEXT))
    assert "Stromausfall" in max(hit.nearness, key=lambda sentence: hit.nearness[sentence])


def test_the_judge_is_told_that_sentences_were_compared(multilingual: Embedder) -> None:
    compared = features_of(gather(GERMAN, compare_sentences(Counting(multilingual), GERMAN, hits_of(TEXT))))
    by_words = features_of(gather(GERMAN, hits_of(TEXT)))
    assert compared is not None
    assert by_words is not None
    assert (compared.is_compared, by_words.is_compared) == (True, False)
    assert compared.near > 0.2
    assert by_words.near == 0.0


def test_an_answer_in_another_language_is_surer_than_what_does_not_answer(multilingual: Embedder) -> None:
    english = analyse_question("What happens to my text after a power failure?", "en")
    judge = calibrated_judge(multilingual.id)
    answering, beside = (
        judge(gather(english, best_compared_first(Counting(multilingual), english, hits_of(text))), 0.7)
        for text in (TEXT, "Die Arbeit an einem Bericht beginnt im Menü. Ein Bericht hat Seiten.")
    )
    assert answering.evidence["is_crossed"]
    assert answering.confidence > 2 * beside.confidence
    of_trains = hits_of("Der Zug nach Bremen fährt täglich um acht.")
    far = judge(gather(english, best_compared_first(Counting(multilingual), english, of_trains)), 0.7)
    assert (is_far(answering.evidence), is_far(far.evidence)) == (False, True)
    assert far.reason.startswith("No passage")


def test_a_sentence_is_embedded_once_and_only_of_the_first_hits(multilingual: Embedder) -> None:
    counting = Counting(multilingual)
    hits = hits_of(*(f"Das Lager {number} ist offen." for number in range(READ_FIRST + 1)))
    once = compare_sentences(counting, GERMAN, hits)
    assert len(counting.asked) == 1 + READ_FIRST
    assert compare_sentences(counting, GERMAN, once) == once
    assert len(counting.asked) == 1 + READ_FIRST


def test_hits_that_were_read_are_not_compared(multilingual: Embedder) -> None:
    counting = Counting(multilingual)
    english = analyse_question("Who built the mill?", "en")
    read = read_hits(Reader(), english, hits_of("Crane built the mill.", lang="en"))
    assert compare_sentences(counting, english, read) == read
    assert counting.asked == []


def test_the_hit_with_the_nearest_sentence_comes_first(multilingual: Embedder) -> None:
    about_reports = "Die Arbeit an einem Bericht beginnt im Menü. Ein Bericht hat Seiten."
    hits = hits_of(about_reports, TEXT)
    ordered = best_compared_first(Counting(multilingual), GERMAN, hits)
    assert [(hit.rank, hit.passage.text) for hit in ordered] == [(1, TEXT), (2, about_reports)]
    assert all(text in hit.passage.text for hit in ordered for text in hit.nearness)


def test_a_hit_behind_the_first_eight_comes_forward(multilingual: Embedder) -> None:
    others = [f"Das Lager {number} ist offen." for number in range(READ_FIRST)]
    ordered = best_compared_first(Counting(multilingual), GERMAN, hits_of(*others, TEXT))
    assert ordered[0].passage.text == TEXT


def test_the_order_of_hits_that_were_read_stays(multilingual: Embedder) -> None:
    english = analyse_question("Who built the mill?", "en")
    read = read_hits(Reader(), english, hits_of("The mill is old.", "Crane built the mill.", lang="en"))
    assert best_compared_first(Counting(multilingual), english, read) == read


def test_with_a_broken_reader_english_hits_are_answered_by_nearness_and_words(
    multilingual: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "READER", tmp_path / "missing.onnx")
    english = analyse_question("Who built the mill?", "en")
    others = [f"The ferry leaves at {number}." for number in range(READ_FIRST)]
    hits = hits_of(*others, "The mill is old.", "Crane built the mill.", lang="en")
    for glosses in (True, False):
        ordered = best_first(Counting(multilingual), Reader(), english, hits, glosses=glosses)
        assert len(ordered) == len(hits)
        assert not any(hit.reading for hit in ordered)
        assert ordered[0].passage.text == "Crane built the mill."
        answer = compose(gather(english, ordered), confidence=0.6)
        assert answer is not None
        assert answer.sentences[0].text == "Crane built the mill."
    verdict = calibrated_judge(multilingual.id)(gather(english, ordered), 0.7)
    assert 0 < verdict.confidence < 1


def test_an_embedder_of_one_language_compares_nothing() -> None:
    hits = hits_of(TEXT)
    assert not compare_sentences(open_embedder("minilm"), GERMAN, hits)[0].nearness
