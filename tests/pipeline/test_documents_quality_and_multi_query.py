"""The design document of multi-query retrieval and content quality: its defaults, tables and examples."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.claude import SMALL_MODEL
from pipeline.enhancements import ALL, DEFAULT, OFF, UnknownEnhancement, switched
from pipeline.llm import ModelBusy, Priced
from pipeline.multi_query import DEFAULT_RESULTS, alternatives, merge_by_title
from pipeline.quality import (
    MAX_PAGE_CHARACTERS,
    MAX_PAGES,
    QUALITY_THRESHOLD,
    count_words,
    score_quality,
    source_text,
    with_quality,
)
from pipeline.question import analyse_question
from pipeline.stopwords import STOP_WORDS
from store.types import Cost, Hit, Variant
from tests.fakes import passage

QUESTION = "What experiments prove quantum entanglement?"


def hit(title: str, similarity: float, *, page_id: int = 1, text: str = "text", ord: int = 0, start: int = 0) -> Hit:
    item = passage(text, page_id=page_id, ord=ord, title=title, start=start)
    return Hit(passage=item, score=similarity, scale="minmax", rank=1, similarity=similarity)


class Wording:
    """A model that words questions, remembering what it was sent, or fails."""

    name = "model"

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.sent: list[tuple[str, int]] = []

    def variants(self, question: str, *, count: int, lang: str) -> Priced[tuple[Variant, ...]]:
        self.sent.append((question, count))
        if self.fails:
            raise ModelBusy("The API is overloaded.", cost=Cost(usd=0.01))
        texts = ("Bell tests of entanglement", "How was entanglement shown?", "One too many")
        return Priced(value=tuple(Variant(kind="paraphrase", text=text) for text in texts), cost=Cost(usd=0.1))


def test_multi_query_is_off_by_default() -> None:
    assert "multi_query" not in DEFAULT


def test_alternatives_are_two_besides_the_question() -> None:
    made = alternatives(analyse_question(QUESTION), Wording())  # type: ignore[arg-type]
    assert [variant.text for variant in made.value] == ["Bell tests of entanglement", "How was entanglement shown?"]
    assert made.cost.usd == 0.1


def test_question_is_sent_to_the_api_with_500_characters_at_most() -> None:
    model = Wording()
    alternatives(analyse_question("word " * 200), model)  # type: ignore[arg-type]
    assert model.sent == [(("word " * 200)[:500], 2)]


def test_failing_expansion_leaves_the_question_alone_with_a_warning() -> None:
    made = alternatives(analyse_question(QUESTION), Wording(fails=True))  # type: ignore[arg-type]
    assert made.value == ()
    assert "asked the question alone (The API is overloaded.)" in made.notice
    assert made.cost.usd == 0.01


def test_without_a_model_multi_query_warns() -> None:
    assert "needs a language model" in alternatives(analyse_question(QUESTION), None).notice


def test_expansion_is_by_haiku_not_by_the_model_that_answers() -> None:
    assert SMALL_MODEL == "claude-haiku-4-5-20251001"


@pytest.mark.parametrize(("asked", "given_back"), [(-1, 1), (0, 1), (1, 1), (5, 5), (20, 20), (99, 20)])
def test_max_results_is_clamped_to_one_to_twenty(asked: int, given_back: int) -> None:
    assert len(merge_by_title([hit(f"T{at}", 0.5, page_id=at) for at in range(40)], asked)) == given_back


def test_max_results_is_five_by_default() -> None:
    assert DEFAULT_RESULTS == 5
    assert len(merge_by_title([hit(f"T{at}", 0.5, page_id=at) for at in range(40)])) == 5


def test_of_a_title_in_several_result_sets_the_most_similar_is_kept() -> None:
    """The document's example of three articles, each found by several queries."""
    found = [
        hit("EPR_paradox", 0.81, page_id=3),
        hit("Bell_test_experiments", 0.70, page_id=1, ord=1),
        hit("Aspect_experiment", 0.88, page_id=2),
        hit("Bell_test_experiments", 0.92, page_id=1),
        hit("EPR_paradox", 0.40, page_id=3, ord=2),
    ]
    merged = merge_by_title(found)
    assert [(h.passage.title, h.score) for h in merged] == [
        ("Bell_test_experiments", 0.92),
        ("Aspect_experiment", 0.88),
        ("EPR_paradox", 0.81),
    ]
    assert [h.rank for h in merged] == [1, 2, 3]


def test_pages_without_a_title_are_not_taken_for_one() -> None:
    assert len(merge_by_title([hit("", 0.5, page_id=1), hit("", 0.4, page_id=2)])) == 2


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1)), max_size=12), st.randoms(use_true_random=False))
def test_merging_by_title_is_order_blind(found: list[tuple[str, float]], chance: object) -> None:
    hits = [hit(title, similarity, page_id=at) for at, (title, similarity) in enumerate(found)]
    straight = merge_by_title(hits)
    chance.shuffle(hits)  # type: ignore[attr-defined]
    assert merge_by_title(hits) == straight


def test_fusion_is_built_and_the_documents_merge_by_title_is_a_switch() -> None:
    """Merged by title, a page that holds two answering passages shows one: measured, R@1 falls by .10 to .20."""
    assert "by_title" in OFF


def test_every_enhancement_can_be_on_at_once_and_each_switched_by_name() -> None:
    assert switched(sorted(ALL)) == ALL
    assert switched(()) == DEFAULT
    assert switched(["multi_query", "-diverse"]) == (DEFAULT | {"multi_query"}) - {"diverse"}
    with pytest.raises(UnknownEnhancement, match="multi_query"):
        switched(["-magic"])


def test_content_quality_threshold_is_point_three() -> None:
    assert QUALITY_THRESHOLD == 0.3


def test_stop_words_are_the_documents_kinds_of_english_function_words() -> None:
    assert "the" in STOP_WORDS
    assert "photosynthesis" not in STOP_WORDS
    assert {"a", "an", "the", "in", "of", "to", "for", "with", "by", "from"} <= STOP_WORDS
    assert 70 <= len(STOP_WORDS) <= 100  # "~80"


@pytest.mark.parametrize(
    ("word_count", "question", "matched", "expected"),
    [
        (19, "quantum entanglement", 2, 0.0),  # a stub, whatever it matches
        (20, "", 0, 0.26),
        (20, "the of and", 0, 0.26),  # all stop words
        (50, "quantum entanglement", 0, 0.35),
        (50, "quantum entanglement", 2, 0.55),
        (50, "quantum entanglement", 1, 0.45),
        (100, "quantum entanglement", 0, 0.50),
        (200, "quantum entanglement", 0, 0.80),
        (200, "quantum entanglement", 2, 1.0),
        (1000, "quantum entanglement", 0, 0.80),
        (1000, "quantum entanglement", 2, 1.0),
    ],
)
def test_score_table(word_count: int, question: str, matched: int, expected: float) -> None:
    said = ["Quantum", "entanglement"][:matched]
    text = " ".join([*said, *["word"] * (word_count - matched)])
    assert score_quality(text, question) == pytest.approx(expected)


def test_documents_three_examples() -> None:
    assert score_quality("See also.", "quantum entanglement") == 0.0
    assert score_quality(" ".join(["word"] * 50), "quantum entanglement") == pytest.approx(0.35)
    assert score_quality(" ".join(["quantum", "entanglement"] * 100), "quantum entanglement") == pytest.approx(1.0)


@given(st.text(max_size=400), st.text(max_size=60))
def test_quality_is_between_nought_and_one(text: str, question: str) -> None:
    assert 0.0 <= score_quality(text, question) <= 1.0


@pytest.mark.parametrize(
    ("text", "question", "lang"),
    [
        (
            "量子纠缠是一种物理现象，其中多个粒子的量子态相互关联，即使它们相距很远也不能独立描述。" * 2,
            "量子纠缠",
            "zh",
        ),
        (
            "量子もつれとは、複数の粒子の量子状態が互いに関連し、遠く離れていても独立に記述できない現象である。" * 2,
            "量子もつれ",
            "ja",
        ),
        ("ความพัวพันเชิงควอนตัมเป็นปรากฏการณ์ทางฟิสิกส์ที่อนุภาคหลายตัวมีสถานะเชื่อมโยงกันแม้อยู่ห่างไกลกัน" * 2, "ความพัวพัน", "th"),
    ],
)
def test_languages_without_spaces_do_not_score_nought(text: str, question: str, lang: str) -> None:
    assert len(text.split()) <= 2  # counted by spaces it would be a stub
    assert score_quality(text, question, lang=lang) > QUALITY_THRESHOLD


@pytest.mark.parametrize(("text", "count"), [("one two – three!", 3), ("量子纠缠", 2), ("GPU 显卡 2024", 3), ("", 0)])
def test_words_are_counted_in_every_script(text: str, count: int) -> None:
    assert count_words(text) == count


GOOD = " ".join(["entanglement", *["word"] * 60])


def test_passages_below_the_threshold_are_left_out() -> None:
    hits = [hit("A", 0.9, page_id=1, text="See also."), hit("B", 0.8, page_id=2, text=GOOD)]
    pages = {1: "never asked for", 2: GOOD}
    kept = with_quality(hits, QUESTION, lang="en", page_texts=lambda ids: {i: pages[i] for i in ids})
    # the fallback is global: page 1 gets no fallback of its own while page 2 has a passage that passes
    assert [h.passage.page_id for h in kept] == [2]


def test_when_every_passage_is_left_out_the_pages_whole_text_is_given() -> None:
    page = f"Heading. See also. {GOOD}"
    found = hit("A", 0.9, page_id=1, text="See also.", start=page.index("See also."))
    [kept] = with_quality([found], QUESTION, lang="en", page_texts=lambda ids: {1: page})
    assert kept.passage.text == page[kept.passage.start : kept.passage.end] == page


def test_source_text_is_of_five_pages_at_most_and_bounded() -> None:
    pages = {at: f"{'x' * 9_000}Stub {at}{'y' * 9_000}" for at in range(8)}
    hits = [hit("T", 0.5, page_id=at, text=f"Stub {at}", start=9_000) for at in range(8)]
    given_back = source_text(hits, lambda ids: {i: pages[i] for i in ids})
    assert MAX_PAGES == 5
    assert [h.passage.page_id for h in given_back] == [0, 1, 2, 3, 4]
    for each in given_back:
        assert len(each.passage.text) <= MAX_PAGE_CHARACTERS
        assert f"Stub {each.passage.page_id}" in each.passage.text
        assert pages[each.passage.page_id][each.passage.start : each.passage.end] == each.passage.text


def test_page_that_is_gone_or_changed_leaves_its_passage_as_it_was() -> None:
    hits = [hit("A", 0.9, page_id=1, text="Stub"), hit("B", 0.9, page_id=2, text="Stub")]
    assert source_text(hits, lambda ids: {2: "another text"}) == hits


def test_without_page_texts_all_passages_are_kept() -> None:
    stub = hit("A", 0.9, text="See also.")
    assert with_quality([stub], QUESTION, lang="en", page_texts=None) == [stub]
    assert with_quality([], QUESTION, lang="en", page_texts=None) == []


@given(st.integers(0, 300), st.integers(1, 40), st.integers(0, 300))
def test_widened_passage_is_a_span_of_its_page_around_the_passage(before: int, size: int, after: int) -> None:
    page = "b" * before + "p" * size + "a" * after
    found = hit("A", 0.9, text="p" * size, start=before)
    [wide] = source_text([replace(found)], lambda ids: {1: page})
    assert wide.passage.text == page[wide.passage.start : wide.passage.end]
    assert wide.passage.start <= before
    assert wide.passage.end >= before + size
