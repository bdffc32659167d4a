"""What is asked: cut where an engine wants it, of the age that the question's own words want."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.search.engine import Query, Recency, requested_recency


@pytest.mark.parametrize(
    ("question", "recency"),
    [
        ("What did the minister say yesterday?", "week"),
        ("Was hat der Minister gestern gesagt?", "week"),
        ("What happened in Berlin this week?", "month"),
        ("Was geschah diese Woche in Berlin?", "month"),
        ("Which films came out this year?", "year"),
        ("What is the latest version of Celery?", "year"),
        ("Was ist die neueste Version von Celery?", "year"),
        ("What is the largest city of the translatest empire?", None),  # within a word
        ("Which country is ancient Mesopotamia today?", None),  # old pages tell it well
        ("Who is currently the king of Sweden?", None),
        ("What is green tea?", None),
        ("", None),
    ],
)
def test_a_question_that_wants_news_says_so_in_words(question: str, recency: Recency | None) -> None:
    assert requested_recency(question) == recency


@pytest.mark.parametrize(
    ("recency", "since"),
    [
        ("day", date(2026, 2, 28)),
        ("week", date(2026, 2, 22)),
        ("month", date(2026, 1, 29)),
        ("year", date(2025, 2, 28)),
    ],
)
def test_an_age_is_a_date(recency: Recency, since: date) -> None:
    assert Query(text="q", recency=recency, today=date(2026, 3, 1)).since == since


def test_without_an_age_there_is_no_date() -> None:
    assert Query(text="q").since is None


@pytest.mark.parametrize(
    ("lang", "known"), [("de", "de"), ("", ""), ("und", ""), ("d.", ""), ("de-AT", ""), ("ßß", "")]
)
def test_a_language_is_told_only_where_it_is_one(lang: str, known: str) -> None:
    assert Query(text="q", lang=lang).known_lang == known


def test_a_query_is_cut_between_words() -> None:
    assert Query(text="green  tea and milk").cut(11) == "green tea"
    assert Query(text="green tea and milk").cut(100, words=2) == "green tea"
    assert Query(text="Donaudampfschiff").cut(5) == "Donau"


@given(st.text(max_size=200), st.integers(1, 50), st.integers(1, 20))
def test_a_cut_query_is_within_its_limits_and_a_part_of_it(text: str, characters: int, words: int) -> None:
    query = Query(text=text)
    cut = query.cut(characters, words)
    assert len(cut) <= characters
    assert len(cut.split()) <= words
    assert cut in " ".join(query.text.split())


@given(st.text(alphabet=st.characters(categories=["Cs", "L"]), max_size=20))
def test_half_a_character_can_be_sent(text: str) -> None:
    Query(text=text).text.encode()
