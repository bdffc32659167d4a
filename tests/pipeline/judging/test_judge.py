"""Whether hits suffice."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit
from evals.fit.judge_models import COMPARED_FEATURES, CROSSED_FEATURES, FEATURES, READ_FEATURES
from evals.fit.rarity import rarity_of
from pipeline.answering.compose import compose
from pipeline.judging.calibration import (
    ANY_EMBEDDER,
    OTHER,
    Calibration,
    Features,
    calibration_for,
    features_of,
)
from pipeline.judging.evidence import gather
from pipeline.judging.judge import calibrated_judge
from pipeline.judging.reading import read_hits
from pipeline.question.analysis import analyse_question
from pipeline.reader import PassageReader
from store.embedders.bundled import Combined
from tests.fakes import passage
from text.related_words import find_related
from text.terms import analyse, rarity

UNKNOWN_EMBEDDER = "nobody's"
WORLD_CUP = analyse_question("Who won the 1998 World Cup?")


def hit(text: str, *, similarity: float = 0.5, page_id: int = 1, title: str = "", lang: str = "en") -> Hit:
    item = passage(text, page_id=page_id, title=title, lang=lang)
    return Hit(passage=item, score=similarity, scale="minmax", rank=page_id, similarity=similarity)


def test_passage_that_says_it_suffices_and_the_reason_says_so() -> None:
    hits = [hit("France won the 1998 World Cup, beating Brazil in the final.", similarity=0.8)]
    verdict = calibrated_judge("wellread-en-2-int8")(gather(WORLD_CUP, hits), 0.7)
    assert verdict.sufficient
    assert verdict.missing == ()
    assert verdict.reason == "What has been read answers the question."


def test_passage_about_something_else_does_not_and_the_missing_words_are_named() -> None:
    verdict = calibrated_judge("wellread-en-2-int8")(
        gather(WORLD_CUP, [hit("The csv module reads files of the world.", similarity=0.1, title="csv")]), 0.7
    )
    assert not verdict.sufficient
    assert verdict.confidence < 0.1
    assert verdict.missing == ("won", "1998", "Cup")
    assert verdict.reason.startswith("The nearest passages are in “csv”;")


def test_the_reason_is_in_the_askers_language_and_names_a_page_by_its_url_where_it_has_no_title() -> None:
    question = analyse_question("Wer gewann 1998 die Weltmeisterschaft?", "de")
    verdict = calibrated_judge("wellread-en-2-int8")(gather(question, [hit("Ein Buch der Welt.", similarity=0.1)]), 0.7)
    assert verdict.reason.startswith("Die nächsten Stellen stehen in „https://example.org/1“;")


@pytest.mark.parametrize("embedder", ["wellread-en-2-int8", "use-multilingual-v3", UNKNOWN_EMBEDDER])
@pytest.mark.parametrize("lang", ["en", "de", "fr", "und"])
def test_nothing_found_never_suffices(embedder: str, lang: str) -> None:
    verdict = calibrated_judge(embedder)(gather(analyse_question("Paris 1998", lang), []), 0.0001)
    assert not verdict.sufficient
    assert verdict.confidence == 0
    assert verdict.missing == ("Paris", "1998")


@given(
    st.sampled_from(["wellread-en-2-int8", "use-multilingual-v3", UNKNOWN_EMBEDDER]),
    st.lists(st.tuples(st.text(max_size=80), st.floats(-1, 1)), max_size=6),
)
def test_confidence_is_a_probability(embedder: str, found: list[tuple[str, float]]) -> None:
    hits = [hit(text, similarity=similarity, page_id=at) for at, (text, similarity) in enumerate(found)]
    verdict = calibrated_judge(embedder)(gather(WORLD_CUP, hits), 0.7)
    assert 0 <= verdict.confidence <= 1
    assert verdict.sufficient == (verdict.confidence >= 0.7)


def test_unknown_embedder_is_judged_without_its_similarity() -> None:
    judge = calibrated_judge(UNKNOWN_EMBEDDER)
    near, far = (
        judge(gather(WORLD_CUP, [hit("France won the 1998 World Cup.", similarity=s)]), 0.7) for s in (0.99, 0.01)
    )
    assert near == far


def test_every_embedder_has_a_calibration_for_any_language() -> None:
    assert calibration_for("wellread-en-2-int8", "en").lang == "en"
    assert calibration_for("wellread-en-2-int8", "zh").lang == OTHER
    assert calibration_for(UNKNOWN_EMBEDDER, "de").embedder == ANY_EMBEDDER
    for embedder in ("wellread-en-2-int8", "use-multilingual-v3", Combined.id, ANY_EMBEDDER):
        for lang in ("en", "de", OTHER):
            assert set(calibration_for(embedder, lang).weights) <= set(FEATURES)
            assert calibration_for(embedder, lang).embedder == embedder


def test_what_is_fitted_are_the_features_that_are_numbers() -> None:
    not_numbers = {"covered", "missing", "is_read", "is_compared", "is_crossed"}
    others = {*not_numbers, *READ_FEATURES, *COMPARED_FEATURES, *CROSSED_FEATURES} - set(FEATURES)
    assert set(FEATURES) == {field.name for field in fields(Features)} - others


def test_probability_is_the_logistic_of_the_weighted_sum() -> None:
    calibration = Calibration(embedder="x", lang="en", weights={"similarity": 2.0}, intercept=-1.0)
    evidence = features_of(gather(WORLD_CUP, [hit("France", similarity=0.5)]))
    assert evidence is not None
    assert calibration.probability(evidence) == pytest.approx(0.5)


def test_hits_beyond_the_best_do_not_change_what_the_best_says() -> None:
    best = hit("France won the 1998 World Cup.", similarity=0.9, page_id=1)
    others = [hit("The weather was fine.", similarity=0.1, page_id=at) for at in range(2, 20)]
    alone, among = features_of(gather(WORLD_CUP, [best])), features_of(gather(WORLD_CUP, [best, *others]))
    assert alone is not None
    assert among is not None
    for feature in set(FEATURES) - {"margin", "coverage_margin"}:
        assert getattr(alone, feature) == pytest.approx(getattr(among, feature)), feature


def test_title_leads_to_what_a_sentence_says() -> None:
    analysis = analyse_question("What does csv.reader return?")
    evidence = features_of(
        gather(analysis, [hit("Return a reader object that yields rows.", title="csv — CSV File Reading")])
    )
    assert evidence is not None
    assert evidence.led_coverage > evidence.sentence_coverage > 0
    assert evidence.covered == ("csv.reader", "return")
    assert evidence.missing == ()


MILL = "Saltmarsh Mill, the tide mill of Orford"
MILL_FRONT = (
    "Saltmarsh Mill stands where the creek at Orford meets the sea. It has ground corn for six generations.\n\n"
    "Begin here\n\n- The wheel: its paddles, its teeth, and what the miller oiled it with.\n"
    "- Visiting: opening times, tickets and the way down to the wheel."
)
MILL_WHEEL = "The wheel of Saltmarsh Mill has 48 paddles of elm and turns at every ebb."


@pytest.mark.parametrize("embedder", ["wellread-en-2-int8", UNKNOWN_EMBEDDER])
def test_page_that_only_mentions_the_subject_does_not_suffice(embedder: str) -> None:
    judge, asked = calibrated_judge(embedder), analyse_question("How many paddles has the wheel of Saltmarsh Mill?")
    front = hit(MILL_FRONT, similarity=0.6, title=MILL)
    answering = hit(MILL_WHEEL, similarity=0.75, page_id=2, title="The wheel")
    alone, both = (read_hits(PassageReader(), asked, hits) for hits in ([front], [answering, front]))
    assert not judge(gather(asked, alone), 0.7).sufficient
    assert judge(gather(asked, both), 0.7).confidence > judge(gather(asked, alone), 0.7).confidence


def test_word_that_every_hit_holds_tells_less_than_one_that_few_hold() -> None:
    hits = [hit(f"Saltmarsh Mill, page {at}.", page_id=at) for at in range(1, 6)]
    hits.append(hit("Saltmarsh Mill has an elm wheel.", page_id=6))
    weights = gather(analyse_question("What wheel has Saltmarsh Mill?"), hits).weights
    assert weights["wheel"] > 2 * weights["saltmarsh"]


def test_name_that_the_passage_lacks_is_noticed() -> None:
    asked = analyse_question("Who won the cup in Brazil?")
    with_it, without = (
        features_of(gather(asked, [hit("Ada won the cup in Brazil.")])),
        features_of(gather(asked, [hit("Ada won the cup.")])),
    )
    assert with_it is not None
    assert without is not None
    assert with_it.missing_name == 0 < without.missing_name


@pytest.mark.parametrize(
    ("asked", "said"), [("keeps", "kept"), ("built", "build"), ("wrote", "writing"), ("won", "win")]
)
def test_irregular_form_of_a_verb_is_the_verb(asked: str, said: str) -> None:
    terms = analyse(asked, "en")
    assert find_related(terms, analyse(said, "en"), "en")[terms[0]].values()


@pytest.mark.parametrize(
    ("asked", "said", "stands"),
    [
        ("Moncalm", "Montcalm", True),
        ("develpment", "development", True),
        ("Brazil", "Brasilia", False),  # another word
        ("1998", "1996", False),  # another number
        ("form", "from", False),  # too short to tell
    ],
)
def test_misspelled_word_is_taken_for_the_one_that_is_meant(asked: str, said: str, *, stands: bool) -> None:
    terms, others = analyse(asked, "en"), analyse(said, "en")
    assert bool(find_related(terms, others, "en")[terms[0]]) is stands


def test_rare_words_weigh_more_than_common_ones() -> None:
    assert rarity("lru", "en") > rarity("cach", "en") > rarity("year", "en") > 0
    assert rarity("кот", "ru") == 1
    assert rarity_of(1, 1000) == 1
    assert 0 < rarity_of(500, 1000) < rarity_of(10, 1000) < 1


ASKED = analyse_question("How is the lamp of the lighthouse cleaned?", "en")
CLOTH = "The lamp of the lighthouse is cleaned every morning with a soft cloth and a little vinegar."
WATER = "The lamp of the lighthouse is cleaned with warm water and wiped dry by the keeper."
HOUSE = "The lighthouse was built on a rock. Its keeper lives in a house of stone with a garden."


@pytest.mark.parametrize(
    ("texts", "quoted"),
    [
        ((CLOTH, HOUSE), {CLOTH}),  # it is far ahead
        ((HOUSE, CLOTH, HOUSE), {CLOTH}),
        ((CLOTH, WATER, HOUSE), {CLOTH, WATER}),  # one is as likely as the other
    ],
)
def test_one_sentence_suffices_where_it_was_read_to_answer_best(texts: tuple[str, ...], quoted: set[str]) -> None:
    found = [
        Hit(passage=passage(text, page_id=at), score=1, scale="rerank", rank=at) for at, text in enumerate(texts, 1)
    ]
    hits = read_hits(PassageReader(), ASKED, found)
    assert all(hit.reading for hit in hits)
    answer = compose(gather(ASKED, hits), confidence=0.9, length="long")
    assert answer is not None
    assert {sentence.text for sentence in answer.sentences} == quoted
