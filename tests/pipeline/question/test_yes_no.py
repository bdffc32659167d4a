"""Test that a yes/no question is answered only by a sentence that states or negates it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from domain import Answer, Hit
from domain.short_answer import short_answer
from pipeline.answering.compose import compose
from pipeline.question.analysis import QuestionError, analyse_question
from pipeline.question.yes_no import answers_yes_no, is_yes_no, leading_yes_no, yes_no_word
from tests.fakes import passage
from tests.tables import each_row


def said(question: str, sentence: str, *, before: str = "", after: str = "", title: str = "") -> str:
    text = f"{before}{sentence}{after}"
    start = len(before)
    return answers_yes_no(analyse_question(question), text, start, start + len(sentence), title=title)


@each_row(
    ("question", "sentence", "expected"),
    [
        ("Was the lighthouse of Vierburg built in 1874?", "The lighthouse of Vierburg was built in 1874.", "yes"),
        (
            "Was the lighthouse of Vierburg built in 1874?",
            "The lighthouse of Vierburg was built in 1874 by Robert Tallis.",
            "yes",
        ),
        ("Did Robert Tallis build the lighthouse?", "Robert Tallis built the lighthouse in 1874.", "yes"),
        ("Did Ada Moor mend the lamp?", "Ada Moor mended the lamp.", "yes"),
        ("Does Vierburg have a lighthouse?", "Vierburg has a lighthouse.", "yes"),
        ("Is Vierburg a town by the sea?", "Vierburg is a town by the sea.", "yes"),
        ("Is Vierburg a town by the sea?", "Vierburg is not a town by the sea.", "no"),
        ("Is Vierburg a town by the sea?", "Vierburg isn’t a town by the sea.", "no"),
        ("Can Celery run on Windows?", "Celery cannot run on Windows.", "no"),
        ("Can Celery run on Windows?", "Celery can't run on Windows.", "no"),
        ("May visitors climb the tower of Vierburg?", "Visitors may climb the tower of Vierburg.", "yes"),
        ("Must visitors of Vierburg pay?", "Visitors of Vierburg must not pay.", "no"),
        ("Should Celery run as root?", "Celery should not run as root.", "no"),
        ("Will Celery run on Windows?", "Celery won’t run on Windows.", "no"),
        ("Can I use Celery with Redis?", "You can use Celery with Redis.", "yes"),
        ("May I take my dog to Vierburg?", "You may not take your dog to Vierburg.", "no"),
        ("Darf Vierburg Eintritt verlangen?", "Vierburg darf nicht Eintritt verlangen.", "no"),
        ("Did Robert Tallis build the lighthouse?", "Robert Tallis did not build the lighthouse.", "no"),
        ("Wurde der Leuchtturm von Vierburg 1874 gebaut?", "Der Leuchtturm von Vierburg wurde 1874 gebaut.", "yes"),
        ("Ist Vierburg eine Stadt am Meer?", "Vierburg ist nicht eine Stadt am Meer.", "no"),
    ],
)
def test_sentence_that_says_or_denies_the_question_settles_it(question: str, sentence: str, expected: str) -> None:
    assert said(question, sentence) == expected


@each_row(
    ("question", "sentence"),
    [
        ("Was the lighthouse of Vierburg built in 1874?", "The lighthouse of Vierburg was built in 1880."),
        ("Was the lighthouse of Vierburg built in 1874?", "The lighthouse of Vierburg was built in 1874, some say."),
        ("Was the lighthouse of Vierburg built in 1874?", "The lighthouse of Vierburg was built in 1874 only in part."),
        ("Was the lighthouse of Vierburg built in 1874?", "Perhaps the lighthouse of Vierburg was built in 1874."),
        ("Was the lighthouse of Vierburg built in 1874?", "Was the lighthouse of Vierburg built in 1874?"),
        (
            "Was the lighthouse of Vierburg built in 1874?",
            "The lighthouse of Vierburg was not built in 1874 by Ada.",
        ),
        ("Is the harbour of Vierburg open?", "The harbour of Vierburg is open in July."),  # now?
        ("Is the harbour of Vierburg open?", "The harbour of Vierburg was open."),
        ("Is the shop open?", "The shop is open."),  # which?
        ("Is it open?", "It is open."),
        ("Is Vierburg a town or a village?", "Vierburg is a town or a village."),
        ("Did Robert Tallis build the lighthouse?", "Robert Tallis builds the lighthouse."),
        ("Did Robert Tallis build the lighthouse?", "Robert Tallis wanted the lighthouse."),
        ("Who built the lighthouse of Vierburg?", "Robert Tallis built the lighthouse of Vierburg."),
        ("Was kostet die Karte in Vierburg?", "Die Karte was kostet in Vierburg."),
        ("Is Vierburg not a town?", "Vierburg is not a town."),
    ],
)
def test_doubt_leaves_it_unsettled(question: str, sentence: str) -> None:
    assert said(question, sentence) == ""


@each_row(
    "around",
    [
        {"before": "Many believe this: "},
        {"before": "“", "after": "”"},
        {"title": "Ten myths about Vierburg"},
        {"before": "Common misconceptions.\n"},
        {"after": " However, the plans are older."},
        {"after": " That is not true."},
        {"after": " This is fiction."},
    ],
)
def test_sentence_that_its_page_takes_back_or_quotes_settles_nothing(around: dict[str, str]) -> None:
    question, sentence = "Was the town of Vierburg founded in 1200?", "The town of Vierburg was founded in 1200."
    assert said(question, sentence) == "yes"
    assert said(question, sentence, **around) == ""


QUESTION = "Is Vierburg a town by the sea?"


def composed(*texts: str, question: str = QUESTION) -> Answer:
    hits = [
        Hit(passage=passage(text, page_id=at), score=1 - at / 20, scale="rerank", rank=at)
        for at, text in enumerate(texts, start=1)
    ]
    answer = compose(analyse_question(question), hits, confidence=0.9)
    assert answer is not None
    return answer


def test_answer_says_what_the_page_says_and_yes_or_no_beside_it() -> None:
    answer = composed("Vierburg is a town by the sea. It has a harbour.")
    assert answer.text.startswith("Vierburg is a town by the sea. [1]")
    assert short_answer(answer.sentences) == "Yes"
    assert short_answer(composed("Vierburg is not a town by the sea.").sentences) == "No"


def test_page_that_says_the_contrary_leaves_it_unsettled() -> None:
    answer = composed("Vierburg is a town by the sea.", "Vierburg is not a town by the sea.")
    assert short_answer(answer.sentences) is None


def test_what_is_named_is_no_short_answer_to_whether() -> None:
    answer = composed("The tower of Vierburg, built by Robert Tallis, is 41 m tall.", question="Is Vierburg 41 m tall?")
    assert short_answer(answer.sentences) is None


def test_word_is_of_the_questions_language() -> None:
    assert [yes_no_word(each, "de") for each in ("yes", "no", "")] == ["Ja", "Nein", ""]  # type: ignore[arg-type]
    assert [yes_no_word("yes", lang) for lang in ("fr", "sv")] == ["Oui", "Yes"]


@each_row(
    ("text", "expected"),
    [
        ("Yes, it was.", "yes"),
        ("Nein: es war so.", "no"),
        ("No.", "no"),
        ("No. 10 Downing Street is old.", ""),
        ("No.10 is old.", ""),
        ("No one knows.", ""),
        ("Yesterday.", ""),
        ("It was.", ""),
    ],
)
def test_what_a_model_begins_with_counts_where_it_stands_alone(text: str, expected: str) -> None:
    assert leading_yes_no(text) == expected


@settings(deadline=None)  # the first call reads the stop words
@given(st.text(max_size=60), st.text(max_size=80))
def test_any_texts_are_read(question: str, sentence: str) -> None:
    try:
        analysis = analyse_question(question)
    except QuestionError:
        return
    assert answers_yes_no(analysis, sentence, 0, len(sentence)) in ("", "yes", "no")
    assert is_yes_no(analysis) in (True, False)
