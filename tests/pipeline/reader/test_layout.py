from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.reader.layout import MOST_TOKENS, OVERLAP, QUESTION_TOKENS, TITLE_TOKENS, windows_of
from text.encoder.runtime import CLS, SEP

IDS = st.integers(1000, 30_000)


def test_question_title_and_passage_are_laid_out_in_order() -> None:
    [window] = windows_of([1, 2], [3], [4, 5, 6])
    assert window.ids == (CLS, 1, 2, SEP, 3, SEP, 4, 5, 6, SEP)
    assert window.segments == (0, 0, 0, 0, 1, 1, 1, 1, 1, 1)
    assert (window.base, window.first, window.count) == (6, 0, 3)


def test_without_a_title_its_part_is_left_out() -> None:
    [window] = windows_of([1], [], [4])
    assert window.ids == (CLS, 1, SEP, 4, SEP)
    assert window.base == 3


def test_long_questions_and_titles_are_cut() -> None:
    [window] = windows_of([7] * 100, [8] * 100, [9])
    assert (window.ids.count(7), window.ids.count(8)) == (QUESTION_TOKENS, TITLE_TOKENS)


@given(st.lists(IDS, max_size=60), st.lists(IDS, max_size=30), st.lists(IDS, max_size=1500))
def test_windows_hold_every_token_of_the_passage_and_overlap(
    question: list[int], title: list[int], passage: list[int]
) -> None:
    windows = list(windows_of(question, title, passage))
    held = 0
    for window in windows:
        assert len(window.ids) == len(window.segments) <= MOST_TOKENS
        assert list(window.ids[window.base : window.base + window.count]) == passage[window.first :][: window.count]
        assert window.first == max(0, held - OVERLAP)
        held = window.first + window.count
    assert held == len(passage)
