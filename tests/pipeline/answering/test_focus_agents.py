"""The short answer to "who did it?" is who did it: not what was done, and without the verb."""

from __future__ import annotations

from domain import Focus
from pipeline.answering.focus.agents import settle_doer
from pipeline.question.analysis import analyse_question
from tests.tables import each_row

MILL = "Hollow Mill was built in 1840 by the brothers Otto and Karl Brandt on the old weir."
CREW = "Ines bakes the bread; Tom drives the van, which eleven shops wait for."
PLAY = "The Lantern was written by Ada Moor in two weeks."
WERK = "Die Mühle wurde 1840 von den Brüdern Otto und Karl Brandt gebaut."
USINE = "Le moulin a été construit en 1840 par Jeanne Morel dans la vallée."


@each_row(
    ("lang", "question", "sentence", "found", "shown"),
    [
        # who stands behind "by", up to where or when
        ("en", "Who built the mill?", MILL, "Hollow Mill", "the brothers Otto and Karl Brandt"),
        ("en", "Who built it?", MILL, "the brothers Otto and Karl Brandt on the old weir", MILL[33:66]),
        ("en", "Who wrote the play?", PLAY, "The Lantern", "Ada Moor"),
        ("de", "Wer baute die Mühle?", WERK, "Die Mühle", "den Brüdern Otto und Karl Brandt"),
        ("fr", "Qui construit le moulin ?", USINE, "Le moulin", "Jeanne Morel"),
        # nobody is named, a way is, or the list may be cut
        ("en", "Who built the mill?", "Hollow Mill was built in 1840.", "Hollow Mill", None),
        ("en", "Who saved the mill?", "Hollow Mill was saved by selling its land.", "Hollow Mill", None),
        ("en", "Who built the mill?", "Hollow Mill was built by Otto, Karl and Ute.", "Hollow Mill", None),
        # without the verb
        ("en", "Who bakes the bread?", CREW, "Ines bakes the bread", "Ines"),
        ("en", "Who designs the sets?", "Ada Moor, who designs the sets, paints.", "Ada Moor, who designs", "Ada Moor"),
        # what is right stays
        ("en", "Who bakes the bread?", CREW, "Ines", "Ines"),
        ("en", "Who built the mill?", MILL, "Otto and Karl Brandt", "Otto and Karl Brandt"),
        ("en", "Who was the king?", "King Otto was the king.", "King Otto", "King Otto"),  # no verb is asked with
        ("en", "Who runs Moor Farm?", "Ada, who was born in Bath, runs Moor Farm.", "Ada", "Ada"),
    ],
)
def test_doer_is_found(lang: str, question: str, sentence: str, found: str, shown: str | None) -> None:
    start = sentence.index(found)
    focus = Focus(start=start, end=start + len(found), confidence=0.9)
    settled = settle_doer(analyse_question(question, lang), sentence, focus)
    assert (sentence[settled.start : settled.end] if settled else None) == shown


def test_doer_that_takes_the_place_of_other_words_is_less_sure() -> None:
    settled = settle_doer(analyse_question("Who built the mill?"), MILL, Focus(start=0, end=11, confidence=0.95))
    assert settled is not None
    assert settled.confidence < 0.95
