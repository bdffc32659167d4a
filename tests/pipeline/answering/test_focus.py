"""Test which words of a sentence are the short answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import Hit, Passage
from pipeline.answering.focus.features import MAX_TOKENS, candidates, form_of
from pipeline.answering.focus.find import find_focus, read_focus
from pipeline.question.analysis import analyse_question
from pipeline.reader.reader import Reader
from tests.tables import each_row

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


@each_row(
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


MILL = "The mill stands by the river. Crane built it in 1840. It burnt down later."


def _read(question: str) -> Hit:
    [reading] = Reader().read(question, [("The mill", MILL)])
    passage = Passage(
        id="1-0",
        page_id=1,
        ord=0,
        url="http://mill.example/",
        title="The mill",
        lang="en",
        text=MILL,
        start=0,
        end=len(MILL),
        content_hash="",
    )
    return Hit(passage=passage, score=1.0, scale="similarity", rank=1, reading=reading)


def test_words_that_the_reader_found_are_marked_where_the_sentence_shows_them() -> None:
    question = "Who built the mill?"
    found = read_focus(analyse_question(question), _read(question), (30, 53), "Crane built it in 1840.")
    assert found is not None
    assert "Crane built it in 1840."[found.start : found.end] == "Crane"
    assert 0.5 <= found.confidence <= 1


@pytest.mark.parametrize(
    ("question", "within"),
    [
        ("Who built the mill?", (0, 29)),  # the words stand in another sentence
        ("How do I build a mill?", (30, 53)),  # a way is not said in a few words
        ("How heavy is the bell?", (30, 53)),  # no words answer
    ],
)
def test_where_the_reader_sees_no_short_answer_none_is_marked(question: str, within: tuple[int, int]) -> None:
    assert read_focus(analyse_question(question), _read(question), within, MILL[slice(*within)]) is None
