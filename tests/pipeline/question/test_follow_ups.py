"""A question is completed from its thread by rules; one that says too little alone is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.question import Turn
from pipeline.question.analysis import analyse_question
from pipeline.question.follow_up import needs_thread, questions_in, stands_alone, understand
from tests.tables import each_row

INSTALL = Turn(question="How do I install nginx on Debian?", answer="Use apt.", short_answer="apt")


@each_row(
    ("before", "asked", "understood"),
    [
        ("What is nginx?", "And what about its configuration file?", "Nginx's configuration file?"),
        ("How do I install nginx on Debian?", "And on Windows?", "How do I install nginx on Windows?"),
        ("How do I install nginx on Debian?", "What about Apache?", "How do I install Apache on Debian?"),
        ("How do I install nginx on Debian?", "Why should I?", "Why should I (install nginx Debian)?"),
        ("When was the lighthouse of Skagen built?", "By whom?", "By whom was the lighthouse of Skagen built?"),
        ("Who built the lighthouse of Skagen?", "And when was it built?", "When was the lighthouse built (Skagen)?"),
        ("What does the sweep do?", "How often does it run?", "How often does the sweep run?"),
        ("Does nginx cache errors?", "Why?", "Why does nginx cache errors?"),
        ("Does nginx cache errors?", "How tall are lighthouses?", "How tall are lighthouses?"),  # another subject
        ("Does nginx cache errors?", "Does Apache cache them?", "Does Apache cache them?"),  # names its own
        ("Wie installiere ich nginx?", "Und unter Windows?", "Wie installiere ich nginx unter Windows?"),
        ("Wie installiere ich nginx?", "Und wo liegt seine Datei?", "Wo liegt seine Datei (installiere nginx)?"),
        ("Was ist eine Splitbuchung?", "Wie lege ich eine an?", "Wie lege ich eine an (Splitbuchung)?"),
        ("Come si installa Privoxy?", "E su Windows?", "Come si installa Privoxy su Windows?"),
        # a name stands for a name, what a thing has for what it has
        ("Where does nginx write its log?", "And Apache?", "Where does Apache write its log?"),
        (
            "Where does nginx write its log?",
            "And the configuration file?",
            "Where does nginx write the configuration file?",
        ),
        ("What is the yearly fee?", "And the deposit?", "What is the deposit?"),
        ("Who painted Night Watch?", "And Guernica?", "Who painted Guernica?"),
        ("What is the price of the ticket?", "And the duration?", "What is the duration of the ticket?"),
        ("What is the tallest building in Dubai?", "And the oldest?", "What is the oldest building in Dubai?"),
        ("Wie viel Speicher braucht Blender?", "Und GIMP?", "Wie viel Speicher braucht GIMP?"),
        ("Was kostet die große Wohnung?", "Und die kleinere?", "Was kostet die kleinere Wohnung?"),
        # a time stands for a time only
        ("When does the library open in Leeds?", "And in summer?", "When does the library open in Leeds in summer?"),
        ("Who won the 2014 World Cup?", "And in 2018?", "Who won the 2018 World Cup?"),
        # what fits nowhere is added
        ("When does the library open on Mondays?", "And close?", "When does the library open on Mondays, close?"),
        ("How long is the Danube?", "And how deep?", "How deep is the Danube?"),
        ("Is there a doctor here?", "Where exactly?", "Where exactly (doctor)?"),
        ("Wer hat Amerika entdeckt?", "Wann?", "Wann hat Amerika entdeckt?"),
        ("When was it all painted, inside?", "By whom?", "By whom was it all painted, inside?"),
        ("When was the tower painted, inside?", "By whom?", "By whom was the tower painted, inside?"),
        ("How heavy is an elephant?", "Is a whale heavier?", "Is a whale heavier than an elephant?"),
        ("Where can I buy a bus pass?", "Do children need one?", "Do children need one (buy bus pass)?"),
        ("Which vaccinations do I need?", "Are they free?", "Are vaccinations free?"),
        ("Wer zahlt die Grundsteuer?", "Wie hoch ist sie?", "Wie hoch ist die Grundsteuer?"),
        ("When did the 2014 World Cup take place?", "Who won?", "Who won (2014 World Cup take place)?"),
        ("Qui était Louis Pasteur ?", "Où est-il né ?", "Où est-il né (Louis Pasteur) ?"),
    ],
)
def test_question_is_completed(before: str, asked: str, understood: str) -> None:
    assert understand(asked, [Turn(question=before)]) == understood


@each_row(
    "asked",
    [
        "Who is the mayor?",  # of the town, and of nothing that was asked about
        "Wie heißt der Bürgermeister?",
        "Who invented the telephone?",
        "What is photosynthesis?",
        "Where does Apache write its log?",
        "How do I show people a text when they connect?",
        "My folder is full of old files. Which ones may I throw away?",
        "I wrote a rule against an advert and it is still there. Why?",
        "Was anybody injured when the harbour went under?",
        "Où se trouve le journal de nginx ?",
        "Who is the owner of the house and its garden?",
        "Where do I report the key when it is lost?",
    ],
)
def test_question_that_says_itself_what_it_is_about_stays_as_it_is(asked: str) -> None:
    for before in ("When is the Ratskeller open?", "Wann hat der Ratskeller geöffnet?", "How long is the Danube?"):
        assert understand(asked, [Turn(question=before)]) == asked


@each_row(
    ("before", "said", "asked", "understood"),
    [
        ("Which service answers DNS?", "dnsmasq", "How do I restart it?", "How do I restart dnsmasq?"),
        ("Which museum shows ships?", "The Fram", "Where is it?", "Where is The Fram?"),
        ("Where was Mozart born?", "Salzburg", "How do I get there?", "How do I get there (Salzburg)?"),
        ("Where was Mozart born?", "Salzburg", "When did he die?", "When did Mozart die?"),
        ("Wer führt den Hofladen?", "Ute Petersen", "Wo wohnt sie?", "Wo wohnt Ute Petersen?"),
        (
            "How many steps are there in the mill?",
            "9",
            "Who was the man chosen to build it?",
            "Who was the man chosen to build the mill?",
        ),
        ("Who built the mill of Skagen?", "Jens Hald", "When was it built?", "When was the mill built (Skagen)?"),
        ("Who built the mill?", "Jens Hald", "When was he born?", "When was Jens Hald born?"),
        (
            "How do I open the file C:\\Users?",
            "",
            "And the bigger one?",
            "How do I open the file the bigger C:\\Users?",
        ),
        ("Who built the mill?", "", "When was he born?", "When was the person who built the mill born?"),
    ],
)
def test_answer_says_what_a_pronoun_stands_for(before: str, said: str, asked: str, understood: str) -> None:
    turn = Turn(question=before, answer=f"{said}." if said else "", short_answer=said)
    assert understand(asked, [turn]) == understood


def test_thing_is_called_what_the_answer_calls_it() -> None:
    turn = Turn(question="Which option disables caching?", answer="Give --no-cache.", short_answer="--no-cache")
    assert understand("What else does that option do?", [turn]) == "What else does that option do (--no-cache)?"


def test_person_is_the_one_that_the_answer_names() -> None:
    turn = Turn(question="Who built the lighthouse?", answer="Robert Tallis built it.", short_answer="Robert Tallis")
    assert understand("When was he born?", [turn]) == "When was Robert Tallis born?"


def test_long_question_says_itself_what_it_is_about() -> None:
    asked = f"Why does it stop after {'one more ' * 80}hour?"
    assert understand(asked, [INSTALL]) == asked
    assert len(understand("And on Windows?", [Turn(question="How do I install it " * 100)])) < 700


def test_without_a_thread_the_question_is_what_was_asked() -> None:
    assert understand("And its configuration file?", []) == "And its configuration file?"


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_breaks_it_and_no_question_becomes_empty(before: str, asked: str) -> None:
    assert asked == "" or understand(asked, [Turn(question=before), INSTALL]) != ""
    understand(asked, [INSTALL, Turn(question=before)])
    needs_thread(asked)


@each_row(
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
        ("Which colours are there?", False),  # "there" is no place
        ("What error codes are there?", False),
        ("How many of them are there?", True),
        ("Who lives there?", True),
        ("Welche Farben gibt es da?", False),
        ("Quels codes y a-t-il ?", False),
    ],
)
def test_question_that_needs_one_asked_before_it_is_known(question: str, needs: bool) -> None:
    assert needs_thread(question) is needs


@each_row(
    ("question", "alone"),
    [
        ("What is the boathouse's fee?", True),
        ("Wie hoch ist die Gebühr des Bootshauses?", True),
        ("When was the lighthouse built?", True),
        ("The boathouse's fee?", False),  # no verb: what is left of a follow-up that was completed
        ("Die Gebühr des Bootshauses?", False),
        ("And the tower?", False),
        ("Why?", False),
        ("When was it built?", False),
    ],
)
def test_question_that_stands_alone_is_known(question: str, alone: bool) -> None:
    assert stands_alone(question) is alone


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
    assert [part.text for part in questions_in(analyse_question(question))] == [first, second]


@pytest.mark.parametrize("question", WHOLE)
def test_what_is_one_question_stays_whole(question: str) -> None:
    assert questions_in(analyse_question(question)) == ()
