"""What is read and compared in hits, in which order they come then, and which words are translated."""

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
from pipeline.judging.reading import (
    MEANS_THE_SAME,
    PART_CHARACTERS,
    READ_FIRST,
    READ_WHOLE,
    best_compared_first,
    best_first,
    best_read_first,
    compare_sentences,
    compare_words,
    nearest_part,
    nearness_of_lacking,
    read_hits,
)
from pipeline.judging.sentences import spans_of
from pipeline.question.analysis import Analysis, analyse_question
from pipeline.reader import PassageReader
from pipeline.retrieval.retrieve import MultilingualEmbed
from store.embedders import Embedder, open_embedder
from tests.fakes import passage
from text.encoder import runtime as model
from text.encoder.runtime import NOTHING
from text.sentences import sentence_spans
from text.terms import terms_of

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
    read = read_hits(PassageReader(), english, hits_of("Crane built the mill.", lang="en"))
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
    read = read_hits(PassageReader(), english, hits_of("The mill is old.", "Crane built the mill.", lang="en"))
    assert best_compared_first(Counting(multilingual), english, read) == read


def test_with_a_broken_reader_english_hits_are_answered_by_nearness_and_words(
    multilingual: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "READER", tmp_path / "missing.onnx")
    english = analyse_question("Who built the mill?", "en")
    others = [f"The ferry leaves at {number}." for number in range(READ_FIRST)]
    hits = hits_of(*others, "The mill is old.", "Crane built the mill.", lang="en")
    for translates in (True, False):
        ordered = best_first(Counting(multilingual), PassageReader(), english, hits, translates=translates)
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


HOUSE = (
    "Villa Aurora is a guest house on the hill above Lerma. The house has eleven rooms with a view of the bay. "
    "Breakfast is served from seven to ten. Dogs are welcome for a fee."
)
HARBOUR = "The harbour of Lerma has two piers. Fishing boats land their catch every morning."
ROOMS = analyse_question("Wie viele Zimmer hat die Villa Aurora?", "de")
POOL = analyse_question("Hat die Villa Aurora ein Schwimmbad?", "de")


@pytest.fixture(scope="module")
def embedder() -> MultilingualEmbed:
    opened = open_embedder("minilm+multilingual")
    assert isinstance(opened, MultilingualEmbed)
    return opened


def test_a_word_of_the_question_is_covered_by_its_translation(embedder: MultilingualEmbed) -> None:
    (hit,) = compare_words(embedder, ROOMS, hits_of(HOUSE, lang="en"))
    assert hit.near_terms["zimm"][terms_of("rooms", "de")[0]] > MEANS_THE_SAME
    coverage = gather(ROOMS, [hit])
    [naming] = [each for each in coverage.spans if "eleven rooms" in each.span.text]
    assert naming.own > 0
    assert coverage.credits[0]["zimm"] > MEANS_THE_SAME


def test_a_word_that_no_word_of_the_page_means_stays_uncovered(embedder: MultilingualEmbed) -> None:
    (hit,) = compare_words(embedder, POOL, hits_of(HOUSE, lang="en"))
    assert gather(POOL, [hit]).credits[0].get("schwimmbad", 0.0) == 0
    assert (
        nearness_of_lacking(POOL, hit)
        < MEANS_THE_SAME
        < nearness_of_lacking(ROOMS, compare_words(embedder, ROOMS, [hit])[0])
    )


def test_words_of_the_same_language_are_not_translated(embedder: MultilingualEmbed) -> None:
    (hit,) = compare_words(embedder, ROOMS, hits_of(HOUSE, lang="de"))
    assert not hit.near_terms


@pytest.mark.parametrize(("asked", "answers"), [(ROOMS, True), (POOL, False)])
def test_few_files_that_only_name_the_thing_asked_about_do_not_answer(
    asked: Analysis, answers: bool, embedder: MultilingualEmbed
) -> None:
    hits = [replace(hit, similarity=0.4 - 0.35 * (hit.rank - 1)) for hit in hits_of(HOUSE, HARBOUR, lang="en")]
    verdict = calibrated_judge(embedder.id)(gather(asked, best_compared_first(embedder, asked, hits)), 0.7)
    assert verdict.sufficient == answers


def test_an_answer_in_another_language_leaves_out_what_the_question_does_not_ask(embedder: MultilingualEmbed) -> None:
    answer = compose(
        gather(ROOMS, best_first(embedder, PassageReader(), ROOMS, hits_of(HOUSE, HARBOUR, lang="en"))), confidence=0.9
    )
    assert answer is not None
    assert "eleven rooms" in answer.text
    assert "harbour" not in answer.text


ENGLISH = analyse_question("Who built the mill?", "en")


@pytest.fixture(scope="module")
def reader() -> PassageReader:
    return PassageReader()


def mills(count: int, lang: str = "en") -> list[Hit]:
    passages = [replace(passage(f"Crane built mill {number}.", page_id=number), lang=lang) for number in range(count)]
    return [Hit(passage=each, score=0.5, scale="rerank", rank=rank) for rank, each in enumerate(passages, start=1)]


def test_the_first_hits_are_read_and_keep_their_order(reader: PassageReader) -> None:
    hits = mills(READ_FIRST + 2)
    read = read_hits(reader, ENGLISH, hits)
    assert read == hits
    assert [hit.reading is not None for hit in read] == [True] * READ_FIRST + [False] * 2


def test_without_translation_pages_of_another_language_leave_all_unread(reader: PassageReader) -> None:
    mixed = [*mills(2), *mills(1, "de")]
    assert not any(hit.reading for hit in read_hits(reader, ENGLISH, mixed, translates=False))


def test_without_translation_questions_of_another_language_leave_all_unread(reader: PassageReader) -> None:
    german = analyse_question("Wer hat die Mühle gebaut?", "de")
    assert not any(hit.reading for hit in read_hits(reader, german, mills(2), translates=False))


def test_without_a_reader_nothing_is_read(reader: PassageReader) -> None:
    read = read_hits(reader, ENGLISH, mills(2))
    assert not any(hit.reading for hit in read_hits(None, ENGLISH, read))


def test_no_hits_stay_none(reader: PassageReader) -> None:
    assert read_hits(reader, ENGLISH, []) == []


def test_a_hit_behind_the_first_that_answers_is_read_and_comes_further_up(reader: PassageReader) -> None:
    hits = mills(READ_FIRST + 3)
    told = replace(hits[-1].passage, text="Nothing is known of the owner. The mill was built by John Crane in 1831.")
    others = [
        replace(hit, passage=replace(hit.passage, text=f"The weather of week {hit.rank} was mild."))
        for hit in hits[:-1]
    ]
    ordered = best_read_first(reader, ENGLISH, [*others, replace(hits[-1], passage=told)])
    assert ordered[0].passage.text == told.text
    assert [hit.rank for hit in ordered] == list(range(1, len(hits) + 1))
    assert [hit.reading is not None for hit in ordered] == [True] * READ_FIRST + [False] * 3


def test_a_hit_that_was_put_behind_another_by_hand_is_not_put_before_it_by_its_score(reader: PassageReader) -> None:
    first, second = mills(1)[0], mills(2)[1]
    hits = [replace(first, score=0.1), replace(second, passage=replace(first.passage, id="twin"), score=0.9)]
    assert [hit.passage.id for hit in best_read_first(reader, ENGLISH, hits)] == [first.passage.id, "twin"]


def test_hits_of_another_language_behind_the_first_stay_behind(reader: PassageReader) -> None:
    hits = [*mills(READ_FIRST), *mills(1, "de")]
    ordered = best_read_first(reader, ENGLISH, hits)
    assert ordered[-1].passage.lang == "de"
    assert ordered[-1].reading is None


def test_hits_of_another_language_come_behind_where_eight_can_be_read(reader: PassageReader) -> None:
    hits = [*mills(1), *mills(2, "de"), *mills(READ_FIRST)[1:]]
    ordered = best_read_first(reader, ENGLISH, hits)
    assert [hit.passage.lang for hit in ordered] == ["en"] * READ_FIRST + ["de"] * 2
    assert all(hit.reading for hit in ordered[:READ_FIRST])
    too_few = hits[:-1]
    assert best_read_first(reader, ENGLISH, too_few) == too_few


def test_hits_that_cannot_be_read_keep_their_order(reader: PassageReader) -> None:
    mixed = [*mills(1, "de"), *mills(2)]
    assert best_read_first(reader, ENGLISH, mixed) == mixed


OLD_BACKUPS = analyse_question("Bleiben die alten Sicherungen für immer liegen?", "de")
PRINTER = (
    "Das Fenster hat drei Knöpfe. "
    "Alte Sicherungen werden nach dreißig Tagen gelöscht. "
    "Der Drucker steht im Büro neben der Küche."
)


def test_the_reader_finds_the_sentence_that_answers_in_german(reader: PassageReader) -> None:
    [hit] = read_hits(reader, OLD_BACKUPS, hits_of(PRINTER))
    assert hit.reading
    spans = [(span.start, span.end) for span in spans_of(hit.passage, "de")]
    evidence = hit.reading.evidence(spans)
    assert max(range(3), key=evidence.__getitem__) == 1
    assert hit.reading.evidence([(0, 0)]) == [-10.0]


def test_the_short_answer_is_in_the_words_of_the_passage(reader: PassageReader) -> None:
    [hit] = read_hits(reader, analyse_question("Wann werden alte Sicherungen gelöscht?", "de"), hits_of(PRINTER))
    assert hit.reading
    found = hit.reading.short_answer()
    assert found
    assert PRINTER[found.start : found.end] == "nach dreißig Tagen"


@pytest.mark.parametrize(("lang", "of_page"), [("de", "en"), ("en", "de"), ("de", "und"), ("de", "fr")])
def test_question_and_page_may_have_two_languages(reader: PassageReader, lang: str, of_page: str) -> None:
    analysis = analyse_question("Wo steht der Drucker?" if lang == "de" else "Where is the printer?", lang)
    [hit] = read_hits(reader, analysis, hits_of("Text.", lang=of_page))
    assert hit.reading


@pytest.mark.parametrize(("lang", "of_page"), [("pl", "pl"), ("de", "pl"), ("ja", "en")])
def test_what_has_no_table_of_small_words_is_not_read(reader: PassageReader, lang: str, of_page: str) -> None:
    analysis = replace(analyse_question("Wo steht der Drucker?", "de"), lang=lang)
    [hit] = read_hits(reader, analysis, hits_of("Text.", lang=of_page))
    assert hit.reading is None


def test_the_judge_is_told_that_a_translation_was_read_and_compared(reader: PassageReader) -> None:
    embedder = open_embedder("minilm+multilingual")
    hits = hits_of(*(f"Der Drucker Nummer {number} steht im Büro." for number in range(READ_FIRST + 2)), PRINTER)
    ordered = best_first(embedder, reader, OLD_BACKUPS, hits)
    assert ordered[0].passage.text == PRINTER
    assert [hit.reading is not None for hit in ordered] == [True] * READ_FIRST + [False] * 3
    evidence = features_of(gather(OLD_BACKUPS, ordered))
    assert evidence
    assert (evidence.is_read, evidence.is_compared, evidence.is_crossed) == (True, True, False)
    assert evidence.near > 0
    assert evidence.answers != 0


def test_hits_are_all_read_or_none(reader: PassageReader) -> None:
    embedder = open_embedder("minilm+multilingual")
    polish = hits_of("Drukarka stoi w biurze.", lang="pl")
    ordered = best_first(embedder, reader, OLD_BACKUPS, [*hits_of(PRINTER), *polish])
    assert not any(hit.reading for hit in ordered)
    assert all(hit.nearness for hit in ordered)


def test_an_embedder_of_english_alone_reads_no_translation(reader: PassageReader) -> None:
    assert not any(hit.reading for hit in best_first(open_embedder("minilm"), reader, OLD_BACKUPS, hits_of(PRINTER)))
    assert not any(hit.reading for hit in read_hits(reader, OLD_BACKUPS, hits_of(PRINTER), translates=False))


WEATHER = "The weather of that week was mild, and the road to the harbour was dry until the evening. "
BUILT = "The mill was built by John Crane in 1831. "


def long_hit(lead: str = "", lengths: tuple[int, int] = (8, 8)) -> Hit:
    """Return a hit whose one sentence that answers is the nearest to the question, between others."""
    text = (WEATHER * lengths[0] + BUILT + WEATHER * lengths[1]).strip()
    cosines = [0.1] * (lengths[0] + (1 if lead else 0)) + [0.8] + [0.1] * lengths[1]
    hit = Hit(passage=replace(passage(text), lead=lead), score=0.5, scale="rerank", rank=1)
    return hit.ranked(sentence_cosines=tuple(cosines))


@pytest.mark.parametrize("lead", ["", "The mills of the harbour."])
@pytest.mark.parametrize("lengths", [(8, 8), (0, 12), (12, 0)])
def test_the_part_that_is_read_is_whole_sentences_around_the_nearest(lead: str, lengths: tuple[int, int]) -> None:
    hit = long_hit(lead, lengths)
    part = nearest_part(hit)
    read = hit.passage.text[slice(*part)]
    assert BUILT.strip() in read
    assert len(read) <= PART_CHARACTERS
    assert read in {(WEATHER * before + BUILT + WEATHER * after).strip() for before in range(5) for after in range(5)}


def test_a_short_text_and_one_whose_sentences_have_no_cosines_are_read_whole() -> None:
    for hit in (long_hit(lengths=(1, 1)), long_hit().ranked(sentence_cosines=())):
        assert nearest_part(hit) == (0, len(hit.passage.text))


def test_a_nearest_sentence_that_is_too_long_is_the_part() -> None:
    long = "It was built by " + "and by ".join(f"Crane number {number} " for number in range(60)) + "in 1831."
    text = f"{WEATHER}{long} {WEATHER}".strip()
    hit = Hit(passage=passage(text), score=0.5, scale="rerank", rank=1).ranked(sentence_cosines=(0.1, 0.8, 0.1))
    assert text[slice(*nearest_part(hit))] == long


def test_of_a_part_all_is_said_at_its_place_in_the_passage(reader: PassageReader) -> None:
    text = long_hit().passage.text
    sentences = [(start, end) for start, end in sentence_spans(text)]
    hits = [*mills(READ_WHOLE), long_hit()]
    read = read_hits(reader, ENGLISH, hits)[-1].reading
    assert read is not None
    short = read.short_answer()
    assert short is not None
    assert text[short.start : short.end] == "John Crane"
    evidence = read.evidence(sentences)
    assert max(range(len(sentences)), key=evidence.__getitem__) == 8
    assert (evidence[0], evidence[-1]) == (NOTHING, NOTHING)  # outside the part


def test_nothing_is_told_by_hits_that_were_left_unread(reader: PassageReader) -> None:
    hits = mills(READ_FIRST)
    read = [*read_hits(reader, ENGLISH, hits[:READ_WHOLE]), *hits[READ_WHOLE:]]
    assert {span.at for span in gather(ENGLISH, read).spans} == set(range(READ_WHOLE))
    assert {span.at for span in gather(ENGLISH, hits).spans} == set(range(READ_FIRST))
