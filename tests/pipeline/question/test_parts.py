"""A question that asks for two things is split into a question for each."""

import pytest

from pipeline.question.analysis import analyse_question
from pipeline.question.follow_up import parts_of

SPLIT = [
    # each part is a question of its own
    (
        "How much food does a person need per day, and what do a day's meals cost?",
        "How much food does a person need per day?",
        "what do a day's meals cost?",
    ),
    (
        "Bis zu welchem Tag kann man eine Mannschaft melden und was kostet der Start in der C-Klasse?",
        "Bis zu welchem Tag kann man eine Mannschaft melden?",
        "was kostet der Start in der C-Klasse?",
    ),
    (
        "A combien s'élève le forfait en psychiatrie, et quel est le prix de la télévision pour une semaine ?",
        "A combien s'élève le forfait en psychiatrie?",
        "quel est le prix de la télévision pour une semaine ?",
    ),
    # a pronoun in the second stands for what the first is about
    (
        "What does a boat permit cost, and where do I get it?",
        "What does a boat permit cost?",
        "Where do I get a boat permit?",
    ),
    ("Wie lange dauert die Prüfung und was kostet sie?", "Wie lange dauert die Prüfung?", "Was kostet die Prüfung?"),
    ("What is nginx? How do I install it?", "What is nginx?", "How do I install nginx?"),
    # a question word alone is completed from the other part
    (
        "When and where does the tournament take place?",
        "When does the tournament take place?",
        "where does the tournament take place?",
    ),
    ("Who built the tower and when?", "Who built the tower?", "Who built the tower? When?"),
    # what stands before the first question stays with it, and a verb may begin either part
    (
        "I rent a boat. Is the engine insured, and what would a new propeller cost me?",
        "I rent a boat. Is the engine insured?",
        "what would a new propeller cost me?",
    ),
    (
        "Which group would that put me in, and does that group pay anything?",
        "Which group would that put me in?",
        "does that group pay anything?",
    ),
]
WHOLE = [
    "How do I read and write a file?",  # two verbs, one question
    "What does the token cost?",
    "Is the pool open on Sundays and holidays?",
    "Wie melde ich Hund und Katze an?",
    "Que faut-il apporter et envoyer ?",
    "I know where the harbour is and need a berth.",  # nothing is asked behind "and"
    "What is A? What is B? What is C?",  # three
]


@pytest.mark.parametrize(("question", "first", "second"), SPLIT)
def test_each_of_two_questions_is_asked_by_itself(question: str, first: str, second: str) -> None:
    assert [part.text for part in parts_of(analyse_question(question))] == [first, second]


@pytest.mark.parametrize("question", WHOLE)
def test_what_is_one_question_stays_whole(question: str) -> None:
    assert parts_of(analyse_question(question)) == ()
