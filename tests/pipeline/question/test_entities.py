"""Test what counts as a name in a question: whole names, without possessives and common nouns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.question.entities import find_entities
from tests.tables import each_row


@each_row(
    ("lang", "question", "entities"),
    [
        ("en", 'Who sang "Yellow Submarine" for Apple in 1968?', ("Yellow Submarine", "Apple", "1968")),
        ("en", "Don't we know what's new?", ()),
        ("en", "NASA launched what?", ("NASA",)),
        ("en", "Who is the CEO of Microsoft?", ("Microsoft",)),
        ("en", "What is Microsoft's headquarters?", ("Microsoft",)),
        ("en", "Microsoft's CEO is who?", ("Microsoft",)),
        ("en", "Who is the CEO of XYZ Startup founded yesterday?", ("XYZ Startup",)),
        ("en", "Who lives in the White House?", ("White House",)),
        ("en", "Who won the 1998 World Cup?", ("1998", "World Cup")),
        ("en", "Was Blade Runner (1982) set in Paris?", ("Blade Runner", "1982", "Paris")),
        ("en", "How do I install Windows 11 on a MacBook?", ("Windows 11", "MacBook")),
        ("en", "Compare Python with Java", ("Python", "Java")),
        ("en", "Who was king of France and Germany?", ("France", "Germany")),
        ("en", "When did the Bank of America open?", ("Bank of America",)),
        ("en", "Barack Obama was born when?", ("Barack Obama",)),
        ("en", "IS THE SKY BLUE IN 1990?", ("1990",)),
        ("de", "Wer leitet Microsoft?", ()),  # nothing shows that it is no common noun
        ("de", "Wie richte ich Windows 11 auf dem MacBook ein?", ("Windows 11", "MacBook")),
        ("de", "Wann wurde Angela Merkel geboren?", ("Angela Merkel",)),
        ("de", "Ludwig van Beethoven wurde wann geboren?", ("Ludwig van Beethoven",)),
        ("de", "Wie kann ich eine Datei lesen?", ()),
        ("de", "Warum ist der Himmel blau?", ()),
        ("de", "Wie funktioniert Photosynthese?", ()),
        ("de", "Wer gewann die Wahl?", ()),
        ("de", "Gibt es einen Zusammenhang?", ()),
        ("fr", "Quelle est la capitale de l'Allemagne ?", ("Allemagne",)),
        ("es", "¿Quién escribió Don Quijote de la Mancha?", ("Don Quijote de la Mancha",)),
        ("it", "Quanto è alta la Torre Eiffel?", ("Torre Eiffel",)),
        ("ru", "Где находится Москва?", ("Москва",)),
        ("zh", "北京在哪里？", ()),
    ],
)
def test_entities_are_names_numbers_and_quotes(lang: str, question: str, entities: tuple[str, ...]) -> None:
    assert find_entities(question, lang) == entities


@given(st.text(max_size=120), st.sampled_from(["en", "de", "fr", "und"]))
def test_any_text_has_entities_or_none(text: str, lang: str) -> None:
    found = find_entities(text, lang)
    assert len(set(found)) == len(found)
