"""The synthetic texts load a knowledge base as real ones do; no time is asserted."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from benchmarks.corpus.synthetic import Language, SyntheticPage, questions
from benchmarks.corpus.word_vectors import WordVectors
from crawler.extract.chunk import chunk
from text.names import names_of, proper_nouns

PAGES, WORDS = 400, 10_000


@pytest.fixture(scope="module")
def pages() -> list[SyntheticPage]:
    return list(Language(PAGES, words=WORDS).pages())


def test_the_same_seed_makes_the_same_pages(pages: list[SyntheticPage]) -> None:
    assert list(islice(Language(PAGES, words=WORDS).pages(), 20)) == pages[:20]


def test_words_are_as_frequent_as_in_a_language(pages: list[SyntheticPage]) -> None:
    counts = Counter(word for each in pages for word in each.page.text.lower().replace(".", "").split())
    total, once = sum(counts.values()), sum(1 for count in counts.values() if count == 1)
    assert 0.02 < counts["the"] / total < 0.08
    assert once > len(counts) / 10  # as in any language, many words occur once


def test_pages_become_several_passages_of_ordinary_length(pages: list[SyntheticPage]) -> None:
    passages = [each for made in pages for each in chunk(made.page, page_id=1, url=made.url)]
    assert 3.5 < len(passages) / len(pages) < 5.5
    assert 90 < np.median([len(each.text.split()) for each in passages]) < 140


def test_pages_name_other_pages(pages: list[SyntheticPage]) -> None:
    names = {name for each in pages for name in names_of(each.page.title)}
    naming = [set(proper_nouns(each.page.text)) & names - set(names_of(each.page.title)) for each in pages]
    assert sum(map(bool, naming)) > len(pages) / 2


def test_a_question_comes_in_four_wordings_that_share_words_with_its_page(pages: list[SyntheticPage]) -> None:
    asked = questions(pages, 40)
    assert asked == questions(pages, 40)
    assert all(len(set(wordings)) == 4 for wordings in asked)
    texts = [each.page.text for each in pages]
    for wordings in asked:
        # the last wording is bare words, all of them from one page
        words = wordings[3].split()
        assert any(all(word in text for word in words) for text in texts)


def test_texts_that_share_words_are_nearer(pages: list[SyntheticPage]) -> None:
    embedder = WordVectors()
    rows = embedder.embed([each.page.text for each in pages[:100]])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    asked = embedder.embed([" ".join(each.page.text.split()[:40]) for each in pages[:100]])
    similarities = asked @ rows.T
    assert np.diag(similarities).mean() > similarities.mean() + 0.2


def test_a_text_without_a_word_has_a_vector_too() -> None:
    assert np.isfinite(WordVectors().embed(["", "the of", "…"])).all()
