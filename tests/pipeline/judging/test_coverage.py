"""Test that a sentence which defines what is asked about is told from one that mentions it, in seven languages."""

from __future__ import annotations

from domain import Hit
from pipeline.judging.coverage import cover
from pipeline.question.analysis import analyse_question
from tests.fakes import passage
from tests.tables import each_row


def defines(question: str, sentence: str, lang: str) -> bool:
    hit = Hit(passage=passage(sentence, lang=lang), score=1.0, scale="rerank", rank=1)
    (span,) = cover(analyse_question(question, lang), [hit], top=1).spans
    return span.defines


DEFINED = [
    ("en", "What is a weir?", "A weir holds the water of a river.", "The river has a long weir."),
    ("en", "What does a weir do?", "A weir holds the water of a river.", "The river has a long weir."),
    ("de", "Was ist ein Wehr?", "Ein Wehr staut das Wasser.", "Der Fluss hat ein langes Wehr."),
    ("fr", "Qu’est-ce qu’un barrage ?", "Un barrage retient l’eau.", "La rivière a un barrage."),
    ("fr", "À quoi sert un barrage ?", "Un barrage retient l’eau.", "La rivière a un barrage."),
    ("es", "¿Qué es una presa?", "Una presa retiene el agua.", "El río tiene una presa."),
    ("es", "¿Qué hace una presa?", "Una presa retiene el agua.", "El río tiene una presa."),
    ("it", "Che cos’è una diga?", "Una diga trattiene l’acqua.", "Il fiume ha una diga."),
    ("it", "Cosa fa una diga?", "Una diga trattiene l’acqua.", "Il fiume ha una diga."),
    ("pt", "O que é uma barragem?", "Uma barragem retém a água.", "O rio tem uma barragem."),
    ("nl", "Wat is een stuw?", "Een stuw houdt water tegen.", "De rivier heeft een stuw."),
]


@each_row(("lang", "question", "definition", "mention"), DEFINED)
def test_definition_begins_with_the_thing(lang: str, question: str, definition: str, mention: str) -> None:
    assert [defines(question, sentence, lang) for sentence in (definition, mention)] == [True, False]


@each_row(
    ("lang", "question", "sentence"),
    [
        ("en", "How does a weir work?", "A weir holds the water of a river."),
        ("de", "Wie hilft ein Wehr?", "Ein Wehr hilft mit Wasser."),
        ("fr", "Qu’est-ce que je dois réparer ?", "Réparer un barrage est long."),
        ("fr", "Qu’est-ce qu’on répare ?", "On répare un barrage."),
        ("es", "¿Qué es lo que retiene una presa?", "Retiene una presa el agua."),
        ("it", "Dove si trova una diga?", "Una diga si trova nel fiume."),
        ("pt", "Onde fica uma barragem?", "Uma barragem fica no rio."),
        ("nl", "Waar ligt een stuw?", "Een stuw ligt in de rivier."),
    ],
)
def test_other_question_asks_for_no_definition(lang: str, question: str, sentence: str) -> None:
    assert not defines(question, sentence, lang)
