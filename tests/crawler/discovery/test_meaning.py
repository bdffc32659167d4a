"""What is near the question in meaning is read first, though it shares no word with it; and few texts are embedded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from crawler.discovery.frontier import rank
from crawler.discovery.relevance import MOST_LINKS, LinkWords, Similarity, nearness
from domain import Link

SITE = "https://docs.example.org/"


def near(**known: float) -> Similarity:
    """Compare by a table; anything else is a little near, as all pages of a manual are."""
    return lambda texts: [known.get(text, 0.2) for text in texts]


def first(links: Sequence[Link], question: str, similarity: Similarity | None) -> str:
    ranked = rank(links, question=question, lang="en", queries=(), seen=(), limit=9, similarity=similarity)
    return ranked[0].url.removeprefix(SITE)


def links(of: Mapping[str, str]) -> list[Link]:
    return [Link(url=SITE + path, text=text) for path, text in of.items()]


def test_a_link_that_means_what_is_asked_comes_before_one_that_shares_a_common_word() -> None:
    others = {f"p{at}": f"Chapter {at}" for at in range(20)}
    shown = links({**others, "a": "Keep going", "b": "Backups"})
    question = "How do I keep a second copy of my money?"
    assert first(shown, question, None) == "a"
    assert first(shown, question, near(Backups=0.7)) == "b"


def test_a_link_without_text_is_compared_by_the_words_of_its_path() -> None:
    shown = links({**{f"p{at}": f"Chapter {at}" for at in range(20)}, "saving-files": ""})
    assert first(shown, "How do I keep it?", near(**{"saving files": 0.8})) == "saving-files"


def test_the_sentence_around_a_link_counts_as_its_text() -> None:
    shown = [*links({f"p{at}": f"Chapter {at}" for at in range(20)}), Link(url=SITE + "x", text="here", context="Save")]
    assert first(shown, "How do I keep it?", near(Save=0.9)) == "x"


def test_of_a_page_with_thousands_of_links_few_texts_are_embedded_and_those_that_share_words_first() -> None:
    embedded = list[str]()

    def similarity(texts: Sequence[str]) -> list[float]:
        embedded.extend(texts)
        return [0.0] * len(texts)

    shown = links({f"p{at}": f"Chapter {at}" for at in range(3_000)} | {"z": "Lamps"})
    first(shown, "Which lamps burn?", similarity)
    assert len(embedded) == MOST_LINKS
    assert "Lamps" in embedded


@given(st.lists(st.lists(st.sampled_from(["lamp", "oil", ""]), max_size=3), max_size=12), st.floats(-1, 1))
def test_nearness_is_one_number_a_link_and_never_below_nothing(anchors: list[list[str]], similar: float) -> None:
    documents = [LinkWords(anchors=dict.fromkeys(texts)) for texts in anchors]
    found = nearness(documents, [0.0] * len(documents), lambda texts: [similar] * len(texts))
    assert len(found) == len(documents)
    assert all(value >= 0 for value in found)
