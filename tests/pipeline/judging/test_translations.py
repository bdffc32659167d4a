from __future__ import annotations

from dataclasses import replace

import pytest

from domain import Hit
from pipeline.answering.compose import compose
from pipeline.judging.evidence import gather
from pipeline.judging.judge import calibrated_judge
from pipeline.judging.reading import MEANS_THE_SAME, best_compared_first, best_first, translate_words, translated
from pipeline.question.analysis import Analysis, analyse_question
from pipeline.reader import Reader
from pipeline.retrieval.retrieve import MultilingualEmbed
from store.embedders import open_embedder
from tests.fakes import passage
from text.terms import terms_of

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


def hits_of(*texts: str, lang: str = "en") -> list[Hit]:
    passages = [replace(passage(text, page_id=at), lang=lang) for at, text in enumerate(texts)]
    return [Hit(passage=each, score=0.5, scale="rerank", rank=rank) for rank, each in enumerate(passages, start=1)]


def test_a_word_of_the_question_is_covered_by_its_translation(embedder: MultilingualEmbed) -> None:
    (hit,) = translate_words(embedder, ROOMS, hits_of(HOUSE))
    assert hit.translations["zimm"][terms_of("rooms", "de")[0]] > MEANS_THE_SAME
    coverage = gather(ROOMS, [hit])
    [naming] = [each for each in coverage.spans if "eleven rooms" in each.span.text]
    assert naming.own > 0
    assert coverage.credits[0]["zimm"] > MEANS_THE_SAME


def test_a_word_that_no_word_of_the_page_means_stays_uncovered(embedder: MultilingualEmbed) -> None:
    (hit,) = translate_words(embedder, POOL, hits_of(HOUSE))
    assert gather(POOL, [hit]).credits[0]["schwimmbad"] == 0
    assert translated(POOL, hit) < MEANS_THE_SAME < translated(ROOMS, translate_words(embedder, ROOMS, [hit])[0])


def test_words_of_the_same_language_are_not_translated(embedder: MultilingualEmbed) -> None:
    (hit,) = translate_words(embedder, ROOMS, hits_of(HOUSE, lang="de"))
    assert not hit.translations


@pytest.mark.parametrize(("asked", "answers"), [(ROOMS, True), (POOL, False)])
def test_few_files_that_only_name_the_thing_asked_about_do_not_answer(
    asked: Analysis, answers: bool, embedder: MultilingualEmbed
) -> None:
    hits = [replace(hit, similarity=0.4 - 0.35 * (hit.rank - 1)) for hit in hits_of(HOUSE, HARBOUR)]
    verdict = calibrated_judge(embedder.id)(gather(asked, best_compared_first(embedder, asked, hits)), 0.7)
    assert verdict.sufficient == answers


def test_an_answer_in_another_language_leaves_out_what_the_question_does_not_ask(embedder: MultilingualEmbed) -> None:
    answer = compose(gather(ROOMS, best_first(embedder, Reader(), ROOMS, hits_of(HOUSE, HARBOUR))), confidence=0.9)
    assert answer is not None
    assert "eleven rooms" in answer.text
    assert "harbour" not in answer.text
