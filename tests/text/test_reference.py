"""A sentence that leans on the one before it is known by its first word."""

from __future__ import annotations

import pytest

from text.sentences import goes_on


@pytest.mark.parametrize(
    "sentence", ["It was built in 1871.", "Dann wird es gemahlen.", "Elles sont ouvertes.", "so it is"]
)
def test_sentence_that_goes_on_is_known(sentence: str) -> None:
    assert goes_on(sentence)


@pytest.mark.parametrize("sentence", ["Items are sold here.", "The mill was built in 1871.", "Erich malt.", ""])
def test_sentence_that_stands_alone_is_no_other(sentence: str) -> None:
    assert not goes_on(sentence)
