"""Passages are spans of their page that together hold all of it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.chunk import MAX_WORDS, MIN_WORDS, chunk, word_count
from domain import PageText

_SPACE = re.compile(r"\s+")


def _page(text: str, headings: tuple[tuple[int, str], ...] = (), lang: str = "en") -> PageText:
    return PageText(title="Lamps", text=text, lang=lang, headings=headings)


def _sentences(count: int, words: int = 12) -> str:
    return " ".join("Sentence " + " ".join(f"word{n}" for n in range(words - 2)) + f" end{i}." for i in range(count))


@given(
    st.text(alphabet=st.sampled_from("abc de.\n!?ä日本語。 1"), max_size=3_000),
    st.lists(st.integers(0, 3_000), max_size=5),
)
def test_passages_rebuild_their_page(text: str, marks: list[int]) -> None:
    headings = tuple((at, "part") for at in sorted(set(marks)) if at < len(text))
    passages = chunk(_page(text, headings), page_id=1, url="http://a.example/")
    assert _SPACE.sub("", "".join(passage.text for passage in passages)) == _SPACE.sub("", text)
    assert all(text[passage.start : passage.end] == passage.text for passage in passages)
    assert [passage.ord for passage in passages] == list(range(len(passages)))


def test_a_long_page_becomes_passages_of_a_readable_size() -> None:
    passages = chunk(_page(_sentences(100)), page_id=1, url="u")
    assert all(MIN_WORDS <= word_count(passage.text) <= MAX_WORDS for passage in passages)


def test_sentences_stay_whole() -> None:
    passages = chunk(_page(_sentences(60)), page_id=1, url="u")
    assert all(passage.text.startswith("Sentence") and passage.text.endswith(".") for passage in passages)


def test_a_heading_begins_a_passage_and_stands_in_its_title() -> None:
    intro, body = _sentences(4), _sentences(4)
    passages = chunk(_page(f"{intro}\n\n{body}", ((len(intro) + 2, "Wicks"),)), page_id=1, url="u")
    assert [passage.title for passage in passages] == ["Lamps", "Lamps › Wicks"]
    assert passages[1].text == body


def test_a_heading_with_nothing_below_it_joins_what_follows() -> None:
    text = f"Wicks\n\nRound\n\n{_sentences(4)}"
    passages = chunk(_page(text, ((0, "Wicks"), (7, "Wicks › Round"))), page_id=1, url="u")
    assert len(passages) == 1


def test_chinese_is_cut_by_what_it_says_not_by_its_spaces() -> None:
    passages = chunk(_page("灯塔的灯芯每天晚上都要修剪一次。" * 80, lang="zh"), page_id=1, url="u")
    assert len(passages) > 2
    assert all(word_count(passage.text) <= MAX_WORDS for passage in passages)


def test_a_sentence_without_end_is_cut_between_words() -> None:
    passages = chunk(_page("word " * 2_000), page_id=1, url="u")
    assert all(word_count(passage.text) <= MAX_WORDS for passage in passages)
    assert not any(passage.text.startswith("ord") for passage in passages)


def test_the_same_text_has_the_same_hash_wherever_it_stands() -> None:
    one = chunk(_page(_sentences(3)), page_id=1, url="u")[0]
    other = chunk(_page(_sentences(3)), page_id=2, url="v")[0]
    assert (one.content_hash, one.id) == (other.content_hash, "1-0")
    assert one.id != other.id


def test_an_empty_page_has_no_passages() -> None:
    assert chunk(_page("  \n "), page_id=1, url="u") == []
