"""A question is completed from its thread by rules; one that says too little alone is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.question import Turn
from pipeline.question.follow_up import needs_thread, understand

INSTALL = Turn(question="How do I install nginx on Debian?", answer="Use apt.", short_answer="apt")


@pytest.mark.parametrize(
    ("before", "asked", "understood"),
    [
        ("What is nginx?", "And what about its configuration file?", "Nginx's configuration file?"),
        ("How do I install nginx on Debian?", "And on Windows?", "How do I install nginx on Windows?"),
        ("How do I install nginx on Debian?", "What about Apache?", "How do I install Apache on Debian?"),
        (
            "How long does the dough of the rye bread rest?",
            "And what about the oven temperature?",
            "The oven temperature (the dough of the rye bread rest)?",
        ),
        ("How do I install nginx on Debian?", "And remove it?", "How do I remove nginx on Debian?"),
        ("How do I install nginx on Debian?", "Why should I?", "Why should I install nginx on Debian?"),
        ("When was the lighthouse of Skagen built?", "By whom?", "By whom was the lighthouse of Skagen built?"),
        ("Who built the lighthouse of Skagen?", "And when was it built?", "When was the lighthouse of Skagen built?"),
        ("What does the sweep do?", "How often does it run?", "How often does the sweep run?"),
        ("Does nginx cache errors?", "Why?", "Why does nginx cache errors?"),
        ("Does nginx cache errors?", "How tall are lighthouses?", "How tall are lighthouses?"),  # another subject
        ("Does nginx cache errors?", "Does Apache cache them?", "Does Apache cache them?"),  # names its own
        ("Wie installiere ich nginx?", "Und unter Windows?", "Wie installiere ich nginx unter Windows?"),
        ("Wie installiere ich nginx?", "Und wo liegt seine Datei?", "Wo liegt die Datei von nginx?"),
        ("Was ist eine Splitbuchung?", "Wie lege ich eine an?", "Wie lege ich eine Splitbuchung an?"),
        ("Come si installa Privoxy?", "E su Windows?", "Come si installa Privoxy su Windows?"),
    ],
)
def test_question_is_completed(before: str, asked: str, understood: str) -> None:
    assert understand(asked, [Turn(question=before)]) == understood


def test_thing_is_called_what_the_answer_calls_it() -> None:
    turn = Turn(question="Which option disables caching?", answer="Give --no-cache.", short_answer="--no-cache")
    assert understand("What else does that option do?", [turn]) == "What else does the option --no-cache do?"


def test_person_is_the_one_that_the_answer_names() -> None:
    turn = Turn(question="Who built the lighthouse?", answer="Robert Tallis built it.", short_answer="Robert Tallis")
    assert understand("When was he born?", [turn]) == "When was Robert Tallis born?"


def test_without_a_thread_the_question_is_what_was_asked() -> None:
    assert understand("And its configuration file?", []) == "And its configuration file?"


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_breaks_it_and_no_question_becomes_empty(before: str, asked: str) -> None:
    assert asked == "" or understand(asked, [Turn(question=before), INSTALL]) != ""
    understand(asked, [INSTALL, Turn(question=before)])
    needs_thread(asked)


@pytest.mark.parametrize(
    ("question", "needs"),
    [
        ("And its configuration file?", True),
        ("Why?", True),
        ("What about Windows?", True),
        ("How do I install it?", True),
        ("Und seine Konfigurationsdatei?", True),
        ("Et pourquoi ?", True),
        ("Who built the lighthouse?", False),
        ("Is it legal to drive barefoot?", False),  # "it" stands for nothing
        ("How long does it take to boil an egg?", False),
        ("What time is it in Tokyo?", False),
        ("When the cat sleeps, does it dream?", False),  # it says itself what
        ("Does Apache cache them?", False),
        ("Wie geht es weiter mit der Rente?", False),
        ("config file for the setuid checker", False),
    ],
)
def test_question_that_needs_one_asked_before_it_is_known(question: str, needs: bool) -> None:
    assert needs_thread(question) is needs
