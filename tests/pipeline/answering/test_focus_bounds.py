"""A short answer keeps what changes its value, and is of the kind asked for."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from domain import Focus
from pipeline.answering.focus.bounds import may_answer, with_comparison
from pipeline.question.analysis import analyse_question
from tests.tables import each_row


def _on(sentence: str, words: str) -> Focus:
    start = sentence.index(words)
    return Focus(start=start, end=start + len(words), confidence=0.9)


@each_row(
    ("question", "sentence", "found", "shown"),
    [
        ("How long may I stay?", "Guests stay for at least three nights.", "three nights", "at least three nights"),
        ("How many may come?", "Groups of up to 40 people may come.", "40 people", "up to 40 people"),
        (
            "When is it free?",
            "It is free on trips of more than two hours.",
            "of more than two hours",
            "more than two hours",
        ),
        ("Wie viele Gäste kommen?", "Es kommen mehr als 300 Gäste.", "300 Gäste", "mehr als 300 Gäste"),
        ("Combien de places ?", "Il y a plus de 80 places.", "80 places", "plus de 80 places"),
        ("How hot is the oven?", "The oven is at 240 °C.", "240", "240 °C"),  # with its unit
        ("How many days is it open?", "It is open 200 days a year.", "200", "200"),  # the question says the unit
        ("At what pressure is it filled?", "It is filled at 6 bar for two minutes.", "6 bar for two minutes", "6 bar"),
        ("How long is it filled?", "It is filled for two minutes.", "two minutes", "two minutes"),
        ("When does the shop close?", "It is open until 2 pm.", "2 pm", "until 2 pm"),
        ("Until when is it open?", "It is open until 2 pm.", "2 pm", "2 pm"),  # the question says so
        ("In what year did it end?", "It went on until 1279.", "1279", "1279"),
        ("When was it built?", "It was built after the war.", "the war", "after the war"),
        ("Who lives there?", "Ada lives over the shop.", "the shop", "the shop"),  # no number
    ],
)
def test_value_keeps_what_changes_it(question: str, sentence: str, found: str, shown: str) -> None:
    focus = with_comparison(analyse_question(question), sentence, _on(sentence, found))
    assert sentence[focus.start : focus.end] == shown


@each_row(
    ("lang", "question", "sentence", "found"),
    [
        ("en", "When did the mill close?", "The mill in Bath closed.", "Bath"),
        ("en", "When does the mill in Bath open?", "Hollow Mill opens.", "Hollow Mill"),
        ("de", "Wann hat die Mühle sonntags offen?", "Die Mühle in Augsburg hat sonntags offen.", "Augsburg"),
        ("fr", "Quand a ouvert le moulin ?", "Le moulin a ouvert à Lyon.", "Lyon"),
        ("en", "Who built the mill?", "Built in 1840.", "1840"),
        ("en", "Where is the mill?", "The mill, 1840.", "1840"),
        ("en", "How many people work there?", "People work there in Bath.", "Bath"),
        ("en", "How much is a sauna?", "A towel costs £3.", "£3"),  # another thing's price
        ("en", "Who owns Hollow Mill?", "Hollow Mill is large.", "Hollow Mill"),  # the question says it itself
    ],
)
def test_words_of_another_kind_do_not_answer(lang: str, question: str, sentence: str, found: str) -> None:
    assert not may_answer(analyse_question(question, lang), sentence, _on(sentence, found))


@each_row(
    ("lang", "question", "sentence", "found"),
    [
        ("en", "When did the mill close?", "The mill closed during the Famine.", "Famine"),
        ("en", "When did the mill close?", "The mill closed in late autumn.", "late autumn"),
        ("en", "When should I ring?", "Ring in case of fire.", "in case of fire"),  # a condition
        ("de", "Wann hat die Mühle offen?", "Die Mühle hat samstags offen.", "samstags"),
        ("en", "How many people work there?", "Nobody but a few of them works there.", "a few"),
        ("en", "Is it the mill or the farm that has a shop?", "The farm has a shop.", "farm"),
        ("en", "How much does it cost?", "That is £3.", "£3"),
        ("en", "Who built the mill?", "Otto built the mill.", "Otto"),
    ],
)
def test_words_of_the_kind_asked_for_may_answer(lang: str, question: str, sentence: str, found: str) -> None:
    assert may_answer(analyse_question(question, lang), sentence, _on(sentence, found))


def test_value_may_be_of_the_thing_in_the_title() -> None:
    focus = _on("It is 840 m.", "840 m")
    assert not may_answer(analyse_question("How tall is Mount Ern?"), "It is 840 m.", focus)
    assert may_answer(analyse_question("How tall is Mount Ern?"), "It is 840 m.", focus, context={"ern"})


@settings(deadline=None)  # the first call loads the tables
@given(st.text(alphabet="ab 4;.£\n", max_size=40), st.integers(0, 40), st.integers(1, 20))
def test_words_stay_in_the_sentence(sentence: str, start: int, length: int) -> None:
    focus = Focus(start=min(start, len(sentence)), end=min(start + length, len(sentence)), confidence=0.5)
    analysis = analyse_question("How much is a b?")
    whole = with_comparison(analysis, sentence, focus)
    assert 0 <= whole.start <= whole.end <= len(sentence)
