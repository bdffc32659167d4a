"""Verbatim answers: what a model cites, and none of its words."""

from __future__ import annotations

from dataclasses import replace

from domain import Answer, Citation, Sentence
from pipeline.answering.citations import check, render
from pipeline.answering.write import verbatim

PAGE = "Install it. Then start it. It costs 4 €.\n\n- Lamp\n- Wick [a](https://foo.example/)"


def citation(marker: int, quote: str) -> Citation:
    start = PAGE.index(quote)
    return Citation(
        marker=marker, passage_id="1-0", page_id=1, url="u", title="T", quote=quote, start=start, end=start + len(quote)
    )


def written(*sentences: Sentence, citations: tuple[Citation, ...], composer: str = "m") -> Answer:
    return Answer(text=render(sentences), sentences=sentences, citations=citations, confidence=0.9, composer=composer)


ANSWER = written(
    Sentence(text="Do this:"),
    Sentence(text="Start what you have installed.", markers=(2, 3), block="step"),
    Sentence(text="It is cheap.", markers=(1,)),
    Sentence(text="There are lamps.", markers=(4,)),
    Sentence(text="It is not stated who sells it.", origin="missing"),
    citations=(
        citation(1, "It costs 4 €."),
        citation(2, "Then start it."),
        citation(3, "Install it. Then start it."),
        citation(4, "- Lamp\n- Wick [a](https://foo.example/)"),
    ),
)


def test_verbatim_answer_is_its_quotes_in_the_order_of_use() -> None:
    answer = verbatim(ANSWER)
    assert answer.text == "Install it. Then start it. [2] [3] It costs 4 €. [1]\n\n- Lamp\n- Wick a [4]"
    assert {each.origin for each in answer.sentences} == {"quoted"}
    assert check(answer, lambda _: PAGE) == answer
    assert verbatim(answer) == answer


def test_answer_of_quotes_is_verbatim_as_it_is() -> None:
    quoted = replace(ANSWER, composer="extractive")
    assert verbatim(quoted) is quoted
