"""The design document of the retry with paraphrases and the crawl: four phases, their defaults and scenarios."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit, Passage, Tally, Variant, VariantKey, VariantKind
from domain.record import Record
from pipeline.answering.refusal import is_refusal
from pipeline.ask import LookupRequest, Tools, final_pass, first_pass, second_pass
from pipeline.documents.judge import ENOUGH, HIGH_QUALITY, QualityRule, document_judge, document_stop, similarity_of
from pipeline.judging.evidence import gather
from pipeline.judging.judge import keep_all
from pipeline.question.analysis import analyse_question
from pipeline.question.variants import make_variants, order_of_variants
from pipeline.retrieval.context import crawl_queries
from pipeline.strategies import MAX_K, TASK_STRATEGIES, RetrievalLimits
from store.embedders.bundled import Combined
from tests.fakes import HashingEmbedder, MemorySearch, passage
from tests.pipeline.test_ask import tools_for

HEADQUARTERS = "What is Microsoft's headquarters?"
STARTUP = "Who is the CEO of XYZ Startup founded yesterday?"


def hit(similarity: float, page_id: int) -> Hit:
    return Hit(passage=passage("x", page_id=page_id), score=1.0, scale="minmax", rank=page_id, similarity=similarity)


class Memory:
    """Variants and tallies in a dictionary."""

    def __init__(self, tallies: dict[VariantKind, Tally] | None = None) -> None:
        self.kept: dict[VariantKey, tuple[Variant, ...]] = {}
        self._tallies = tallies or {}

    def load(self, key: VariantKey) -> tuple[Variant, ...]:
        return self.kept.get(key, ())

    def save(self, key: VariantKey, variants: tuple[Variant, ...]) -> None:
        self.kept[key] = variants

    def tallies(self, question_type: str) -> dict[VariantKind, Tally]:
        return self._tallies


def test_quality_threshold_and_number_of_good_hits_are_the_documents() -> None:
    assert HIGH_QUALITY == 0.7  # rag_quality_threshold
    assert ENOUGH == 2


@pytest.mark.parametrize(
    ("similarities", "sufficient", "confidence"),
    [
        ((0.7, 0.7), True, 0.7),
        ((0.69, 0.71, 0.9), True, 0.71),  # in any order
        ((0.9, 0.69), False, 0.69),
        ((0.65,), False, 0.0),
        ((), False, 0.0),
    ],
)
def test_two_hits_of_point_seven_suffice_whatever_the_strategys_threshold(
    similarities: tuple[float, ...], sufficient: bool, confidence: float
) -> None:
    hits = [hit(similarity, at) for at, similarity in enumerate(similarities, start=1)]
    verdict = document_judge()(gather(analyse_question(HEADQUARTERS), hits), 0.99)
    assert (verdict.sufficient, verdict.confidence) == (sufficient, confidence)


@pytest.mark.parametrize("embedder", [Combined.id, "wellread-en-2-int8", "use-multilingual-v3"])
@given(st.floats(-1, 1), st.floats(-1, 1))
def test_similarity_on_the_documents_scale_keeps_its_order_and_its_ends(embedder: str, one: float, two: float) -> None:
    scaled = similarity_of(embedder)
    assert scaled(hit(0.0, 1)) == 0
    assert scaled(hit(1.0, 1)) == pytest.approx(1)
    assert scaled(hit(0.4, 1)) > HIGH_QUALITY > 0.4  # hardly a passage that answers is as similar as .7
    assert (one < two) <= (scaled(hit(one, 1)) <= scaled(hit(two, 1)))


def test_similarity_of_an_embedder_that_was_not_measured_stays_as_it_is() -> None:
    assert similarity_of("fastembed:any")(hit(0.65, 1)) == pytest.approx(0.65)


def test_judge_counts_what_was_retrieved_however_few_the_stop_rule_keeps(pool: Executor) -> None:
    """The stop rule keeps one hit that is sure enough by itself; the judge wants two."""
    page = "What is the capital of France? Paris."
    pages = [passage(page, page_id=at, title="The capital of France") for at in (1, 2)]
    tools = replace(tools_for(pool, pages=pages), judge=document_judge(), stop=document_stop())
    attempt = first_pass(LookupRequest(text="What is the capital of France?"), tools)
    assert (attempt.cutoff and attempt.cutoff.chunks_retrieved, len(attempt.hits)) == (1, 1)
    assert attempt.verdict.sufficient
    assert attempt.verdict.reason.startswith("2 of 2")


def test_quality_threshold_and_number_of_good_hits_can_be_set() -> None:
    judge = document_judge(QualityRule(similarity=0.6, hits=1))
    verdict = judge(gather(analyse_question(HEADQUARTERS), [hit(0.65, 1), hit(0.2, 2)]), 0.5)
    assert verdict.sufficient
    assert verdict.reason == "1 of 2 passages have a similarity of at least 0.6; 1 are needed."


@pytest.mark.parametrize("text", ["I don't have enough information.", "The context does not say."])
def test_refusal_triggers_phase_two(text: str) -> None:
    assert is_refusal(text)


def test_at_most_three_paraphrases_are_made() -> None:
    assert RetrievalLimits().variants == 3  # max_paraphrased_queries
    for question in (HEADQUARTERS, STARTUP, "How do I fix a broken build?"):
        assert 2 <= len(make_variants(analyse_question(question))) <= 3


def test_documents_example_is_asked_for_the_main_office_and_in_keywords() -> None:
    made = {variant.kind: variant.text for variant in reversed(make_variants(analyse_question(HEADQUARTERS)))}
    assert "main office" in made["paraphrase"]  # "Where is Microsoft's main office located?"
    assert made["keyword_focus"] == "Microsoft's headquarters"  # "Microsoft headquarters location"


def test_second_look_asks_for_twice_as_many_hits_and_never_more_than_twenty(pool: Executor) -> None:
    """initial_top_k is 6 in this document and by complexity (5, 7, 10) in another: the latter is built, doubled."""
    many = [passage(f"Paris, note {at} on the capital.", page_id=at, title="Paris") for at in range(60)]
    tools = replace(tools_for(pool, pages=many), stop=keep_all)
    for text in ("Paris", "Name the capital of Norway", "Who, in 1998, met Ada, Bob, Eve and Mallory in Paris?"):
        first, second = first_pass(LookupRequest(text=text), tools), second_pass(LookupRequest(text=text), tools)
        assert len(first.hits) == max(first.analysis.suggested_k, TASK_STRATEGIES["general"].max_k)
        assert len(second.hits) == min(MAX_K, 2 * len(first.hits))
    assert len(second.hits) == MAX_K == 20


def test_hits_of_several_queries_hold_each_passage_once(pool: Executor) -> None:
    attempt = second_pass(LookupRequest(text="What is the capital of France?"), tools_for(pool))
    assert len({h.passage.id for h in attempt.hits}) == len(attempt.hits)
    assert len(attempt.queries) == 1 + len(attempt.variants)


OFFICE = passage(
    "Microsoft's main office is located at One Microsoft Way, Redmond, Washington. The main office of Microsoft "
    "has 500 acres.",
    page_id=1,
    title="Microsoft's main office",
)
CAMPUS = passage("Where is Microsoft's main office located? In Redmond.", page_id=2, title="Microsoft headquarters")
OTHERS = [passage(f"Note {at} about software.", page_id=at, title="Software") for at in range(10, 20)]


def test_scenario_one_the_retry_succeeds_without_crawling(pool: Executor) -> None:
    """Phase 1 finds too little by the document's rule; a paraphrase comes near enough to two pages."""
    pages = [OFFICE, CAMPUS, *OTHERS]
    tools = replace(tools_for(pool, pages=pages), judge=document_judge(), stop=keep_all)
    assert not first_pass(LookupRequest(text=HEADQUARTERS), tools).verdict.sufficient
    variants = (
        Variant(kind="paraphrase", text="Where is Microsoft's main office located?"),
        Variant(kind="keyword_focus", text="Microsoft headquarters location"),
    )
    second = final_pass(LookupRequest(text=HEADQUARTERS), variants, tools)
    assert second.answer is not None
    assert "Redmond" in second.answer.text


def _nothing_but(pool: Executor, pages: list[Passage]) -> Tools:
    embedder = HashingEmbedder()
    return Tools(search=MemorySearch(pages, embedder), embedder=embedder, pool=pool, clock=lambda: 0.0)


def test_scenario_two_nothing_is_known_until_a_page_was_read(pool: Executor) -> None:
    empty = _nothing_but(pool, [])
    first, second = first_pass(LookupRequest(text=STARTUP), empty), second_pass(LookupRequest(text=STARTUP), empty)
    assert (first.hits, second.hits) == ((), ())
    assert (first.cutoff and first.cutoff.stop_reason) == "no_results"
    assert not second.verdict.sufficient
    site = passage("The CEO of XYZ Startup, founded yesterday, is Ada Brandt.", title="XYZ Startup")
    after = final_pass(LookupRequest(text=STARTUP), second.variants, _nothing_but(pool, [site]))
    assert after.verdict.sufficient
    assert after.answer is not None
    assert "Ada Brandt" in after.answer.text


def test_crawl_asks_engines_with_the_paraphrases_and_for_what_is_missing() -> None:
    queries = (STARTUP, "Which person is the CEO of XYZ Startup?")
    asked = crawl_queries(STARTUP, queries, ("CEO", "founded"))
    assert asked[:2] == queries
    assert asked[2] == "XYZ Startup CEO founded"
    assert crawl_queries(STARTUP, queries, ()) == queries
    assert crawl_queries("ada brandt", ("Brandt, Ada",), ("ada", "brandt")) == ("Brandt, Ada",)  # the same words


@pytest.mark.parametrize(
    "field",
    [
        "answer",
        "context",
        "retry_attempted",
        "paraphrased_queries",
        "online_search_triggered",
        "crawl_reason",
        "rag_hits_count",
        "sql_hits_count",
    ],
)
def test_answer_of_the_chat_route_has_the_documents_fields(field: str) -> None:
    assert field in {each.name for each in fields(Record)}


def test_kinds_that_helped_this_type_of_question_come_first() -> None:
    """A future enhancement of the document's."""
    learned = Memory(
        {
            "keyword_focus": Tally(tried=40, rewarded=36),
            "paraphrase": Tally(tried=40, rewarded=20),
            "perspective_shift": Tally(tried=40, rewarded=4),
        }
    )
    analysis = analyse_question(HEADQUARTERS)
    made = make_variants(analysis, 3, order_of_variants(analysis, "q1", learned))
    assert [variant.kind for variant in made] == ["keyword_focus", "paraphrase", "perspective_shift"]
