"""Wellread speaks the asker's language: every phrase in eleven of them, with the same values in each."""

from __future__ import annotations

import string
from concurrent.futures import Executor
from dataclasses import replace
from typing import get_args

from domain.hit import SearchedPages
from pipeline.abstain import abstention
from pipeline.ask import LookupRequest, first_pass
from pipeline.phrases import Phrase, say
from tests.fakes import passage
from tests.pipeline.test_ask import tools_for
from tests.tables import each_row
from text.languages import LANGUAGES, language

PHRASES = get_args(Phrase)
MUSEUM = passage("The museum shows lamps.", page_id=7, title="Lamps")


def test_eleven_languages_are_spoken() -> None:
    assert set("en de fr es it pt nl pl ru zh ja".split()) == LANGUAGES


@each_row("lang", sorted(LANGUAGES - {"en"}))
def test_every_language_has_every_phrase_with_its_values(lang: str) -> None:
    spoken, english = language(lang).phrases, language("en").phrases
    assert set(spoken) == set(english) == set(PHRASES)
    for phrase in PHRASES:
        assert _values(spoken[phrase]) == _values(english[phrase]), phrase
        assert spoken[phrase] != english[phrase]


def _values(text: str) -> set[tuple[str, str]]:
    return {(name, spec or "") for _, name, spec, _ in string.Formatter().parse(text) if name}


@each_row(
    ("question", "begins"),
    [
        ("Who won the 1998 World Cup?", "I do not know"),
        ("Wer gewann die Wahl?", "Das weiß ich nicht"),
        ("Qui a gagné les élections ?", "Je ne sais pas"),
        ("¿Quién ganó las elecciones?", "No lo sé"),
        ("谁赢得了选举？", "我不知道"),
        ("誰が選挙に勝ちましたか", "わかりません"),
        ("Кто выиграл выборы?", "Я не знаю"),
        ("누가 이겼습니까?", "I do not know"),  # no phrases: English
    ],
)
def test_abstention_is_in_the_language_of_the_question(pool: Executor, question: str, begins: str) -> None:
    assert abstention(first_pass(LookupRequest(text=question), tools_for(pool))).text.startswith(begins)


def test_pages_and_queries_stand_between_the_marks_of_the_questions_language(pool: Executor) -> None:
    tried = abstention(
        first_pass(LookupRequest(text="Welche Lampen zeigt das Museum?"), tools_for(pool, pages=(MUSEUM,)))
    )
    assert f"„Lamps“ ({MUSEUM.url})" in tried.text
    assert "„Welche Lampen zeigt das Museum?“" in tried.text
    assert "”" not in tried.text


def test_abstention_names_the_nearest_pages_and_claims_nothing_of_words(pool: Executor) -> None:
    query = LookupRequest(text="Which lamps did the museum sell?")
    searched = SearchedPages(pages=12, hosts=("a.example", "b.example", "c.example", "d.example"), waiting=0)
    answer = abstention(replace(first_pass(query, tools_for(pool, pages=(MUSEUM,))), searched=searched))
    assert "Pages searched: 12 (a.example, b.example, c.example, …)." in answer.text
    assert "Pages read" not in answer.text  # none was read for it
    assert f"“Lamps” ({MUSEUM.url})" in answer.text
    assert "says anything about" not in answer.text
    nothing = abstention(first_pass(query, tools_for(pool, pages=())))
    assert say("nothing_near", "en") in nothing.text
