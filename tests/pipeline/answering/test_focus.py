"""Test which words of a sentence are the short answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.answering.focus.features import MAX_TOKENS, candidates, form_of
from pipeline.answering.focus.find import find_focus
from pipeline.question.analysis import analyse_question

COURT = "In 1596 King Sigismund moved his court from Kraków to Warsaw, which had 4,500 inhabitants."
HOF = "Im Jahr 1596 verlegte König Sigismund seinen Hof von Krakau nach Warschau."


@pytest.mark.parametrize(
    ("question", "sentence", "focus"),
    [
        ("When did the court move to Warsaw?", COURT, "1596"),
        ("How many inhabitants did Warsaw have?", COURT, "4,500"),
        ("Who painted the ceiling?", "The ceiling was painted by Ada Lovelace in two summers.", "Ada Lovelace"),
        ("What share of the island is forest?", "Some 31% of the island is forest.", "31%"),
        ("Wann verlegte der König seinen Hof?", HOF, "1596"),
    ],
)
def test_words_that_were_asked_for_are_found(question: str, sentence: str, focus: str) -> None:
    found = find_focus(analyse_question(question), sentence)
    assert found is not None
    assert sentence[found.start : found.end] == focus


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How do I open the door?", "Turn the key twice."),  # a way is not said in a few words
        ("When?", "…"),  # nothing to choose from
        ("Who rang?", "Ada " * 400),  # too long to be a sentence
    ],
)
def test_where_no_few_words_can_answer_none_are_named(question: str, sentence: str) -> None:
    assert find_focus(analyse_question(question), sentence) is None


@settings(deadline=None)  # the first call loads the tables
@given(st.text(max_size=120), st.text(max_size=60).filter(lambda text: any(map(str.isalnum, text))))
def test_focus_lies_in_the_sentence(sentence: str, question: str) -> None:
    found = find_focus(analyse_question(question + " a"), sentence)
    assert found is None or (0 <= found.start < found.end <= len(sentence) and 0 < found.confidence <= 1)


@given(st.text(max_size=80))
def test_candidates_are_short_and_begin_and_end_with_a_word_or_number(sentence: str) -> None:
    for each in candidates(analyse_question("Who rang the bell?"), sentence):
        assert len(sentence[each.start : each.end].split()) <= MAX_TOKENS
        assert sentence[each.start : each.end].strip() == sentence[each.start : each.end]


@pytest.mark.parametrize(
    ("words", "form"),
    [
        (["£40"], "money"),
        (["34%"], "percentage"),
        (["January", "1970"], "date"),
        (["1970"], "year"),
        (["seven"], "number"),
        (["75,000", "soldiers"], "number of"),
        (["Fiat", "125p"], "with a number"),
        (["Ada"], "name"),
        (["Duke", "of", "York"], "full name"),
        (["steam", "Engine"], "with a name"),
        (["passive"], "word"),
        (["passive", "immunity"], "words"),
    ],
)
def test_form_of_words(words: list[str], form: str) -> None:
    assert form_of(words) == form
