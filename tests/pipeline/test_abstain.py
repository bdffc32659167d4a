"""What is said at the end, where nothing sufficed."""

from __future__ import annotations

import pytest

from domain import Answer, Sentence
from pipeline.abstain import as_perhaps


def answer_of(*sentences: Sentence) -> Answer:
    return Answer(text="as it was", sentences=sentences, citations=(), confidence=0.4, composer="extractive")


@pytest.mark.parametrize(
    ("sentence", "lang", "text"),
    [
        (Sentence(text="It was 1874.", markers=(1,)), "en", "Perhaps: It was 1874. [1]"),
        (Sentence(text="Es war 1874.", markers=(1,)), "de", "Vielleicht: Es war 1874. [1]"),
        (Sentence(text="run it", markers=(1,), block="code"), "en", "Perhaps: \n\n```\nrun it\n```\n[1]"),
        (Sentence(text="It was 1874.", markers=(1,)), "ko", "Perhaps: It was 1874. [1]"),  # no phrases: English
    ],
)
def test_unsure_answer_says_so_in_the_language_of_the_question(sentence: Sentence, lang: str, text: str) -> None:
    given = as_perhaps(answer_of(sentence), lang)
    assert given.text == text
    assert given.sentences == (sentence,)
    assert as_perhaps(given, lang) == given
