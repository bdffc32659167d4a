"""The design document of content quality: its threshold, table and examples."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import Hit
from pipeline.documents.quality import (
    MAX_CHARACTERS,
    MAX_PAGES,
    QUALITY_THRESHOLD,
    count_words,
    filter_by_quality,
    score_quality,
    widen_to_pages,
)
from pipeline.retrieval.context import select_diverse
from tests.fakes import passage
from text.terms import STOP_WORDS

QUESTION = "What experiments prove quantum entanglement?"


def hit(title: str, similarity: float, *, page_id: int = 1, text: str = "text", ord: int = 0, start: int = 0) -> Hit:
    item = passage(text, page_id=page_id, ord=ord, title=title, start=start)
    return Hit(passage=item, score=similarity, scale="minmax", rank=1, similarity=similarity)


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
    kept = filter_by_quality(hits, QUESTION, lang="en", page_texts=lambda ids: {i: pages[i] for i in ids})
    # the fallback is global: page 1 gets no fallback of its own while page 2 has a passage that passes
    assert [h.passage.page_id for h in kept] == [2]


def test_when_every_passage_is_left_out_the_pages_whole_text_is_given() -> None:
    page = f"Heading. See also. {GOOD}"
    found = hit("A", 0.9, page_id=1, text="See also.", start=page.index("See also."))
    [kept] = filter_by_quality([found], QUESTION, lang="en", page_texts=lambda ids: {1: page})
    assert kept.passage.text == page[kept.passage.start : kept.passage.end] == page


def test_source_text_is_of_five_pages_at_most_and_bounded() -> None:
    pages = {at: f"{'x' * 9_000}Stub {at}{'y' * 9_000}" for at in range(8)}
    hits = [hit("T", 0.5, page_id=at, text=f"Stub {at}", start=9_000) for at in range(8)]
    given_back = widen_to_pages(hits, lambda ids: {i: pages[i] for i in ids})
    assert MAX_PAGES == 5
    assert [h.passage.page_id for h in given_back] == [0, 1, 2, 3, 4]
    assert sum(len(each.passage.text) for each in given_back) == MAX_CHARACTERS
    for each in given_back:
        assert len(each.passage.text) == MAX_CHARACTERS / MAX_PAGES
        assert f"Stub {each.passage.page_id}" in each.passage.text
        assert pages[each.passage.page_id][each.passage.start : each.passage.end] == each.passage.text


def test_pages_that_fit_are_whole_and_leave_the_rest_of_the_context_to_the_long_one() -> None:
    pages = {1: "Stub " + "x" * 1_000, 2: "Stub " + "y" * 90_000, 3: "Stub"}
    hits = [hit("T", 0.5, page_id=at, text="Stub") for at in pages]
    short, long, shortest = (each.passage.text for each in widen_to_pages(hits, lambda ids: pages))
    assert (short, shortest) == (pages[1], pages[3])
    assert len(long) == MAX_CHARACTERS - len(short) - len(shortest)
    assert len(select_diverse(widen_to_pages(hits, lambda ids: pages))) == 3  # no page is too long for the context


def test_page_that_is_gone_or_changed_leaves_its_passage_as_it_was() -> None:
    hits = [hit("A", 0.9, page_id=1, text="Stub"), hit("B", 0.9, page_id=2, text="Stub")]
    assert widen_to_pages(hits, lambda ids: {2: "another text"}) == hits


def test_without_page_texts_all_passages_are_kept() -> None:
    stub = hit("A", 0.9, text="See also.")
    assert filter_by_quality([stub], QUESTION, lang="en", page_texts=None) == [stub]
    assert filter_by_quality([], QUESTION, lang="en", page_texts=None) == []


@given(st.integers(0, 300), st.integers(1, 40), st.integers(0, 300))
def test_widened_passage_is_a_span_of_its_page_around_the_passage(before: int, size: int, after: int) -> None:
    page = "b" * before + "p" * size + "a" * after
    found = hit("A", 0.9, text="p" * size, start=before)
    [wide] = widen_to_pages([replace(found)], lambda ids: {1: page})
    assert wide.passage.text == page[wide.passage.start : wide.passage.end]
    assert wide.passage.start <= before
    assert wide.passage.end >= before + size
