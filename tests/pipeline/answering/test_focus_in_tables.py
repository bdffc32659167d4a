"""The short answer in a table or a record is the whole cell that is asked for, or there is none."""

from __future__ import annotations

import pytest

from domain import Focus
from pipeline.answering.focus.tables import focus_in_table, table_at
from pipeline.question.analysis import analyse_question
from tests.tables import each_row

CABINS = "| Cabin North | Cabin South\nNight | £60 | £95\nDistance | 2.4 km | 800 m\nBunk beds | four | six"
REPAIRS = "Work | Kite | Heron\nNew wheel | €45 | €70\nYearly check | €30 | €38"
DESKS = "Desk | Price | Free seats\nA-12 | 9.50 | 3\nA-13 | 7.00 | 11"
CREW = "Office | Head | Phone\nHarbour | Ines Moreau | 5512\nLibrary | Tom Riis | 5513"
OAK = "- Code: A-12; Name: Oak desk; Price EUR: 310; On hand: 7"
PINE = "- Code: B-40; Name: Pine desk; Price EUR: 190; On hand: 0"
RECORDS = f"{OAK}\n{PINE}"
BOATS = "Boat | Tern | Gull | Auk\nLength | 4 m | 5 m | 7 m\nRent | £20 | – | £45"
KARTEN = "Karte | Erwachsene | Kinder\nTag | 12 € | 6 €\nJahr | 90 € | 45 €"
KITES = "Model | Range | Price\nKite | 320 km | £210\nKite Plus | 450 km | £260"
PLAIN = "Height | 120 m\nBuilt | 1902"


@each_row(
    ("question", "table", "row", "found", "shown"),
    [
        # things in columns
        ("How much does a night in the South cost?", CABINS, "Night", "£60", "£95"),
        ("How far is the distance of the South?", CABINS, "Distance", "2.4", "800 m"),
        ("How far is the distance of the North?", CABINS, "Distance", "2.4", "2.4 km"),  # with its unit
        ("How many bunk beds are in the South?", CABINS, "Bunk", "four", "six"),
        ("How much is a new wheel for the Heron?", REPAIRS, "New wheel", "€45", "€70"),
        ("How much is a yearly check of the Heron?", REPAIRS, "Yearly", "€30", "€38"),
        ("How long is the boat Gull?", BOATS, "Length", "4 m", "5 m"),  # the corner says what the columns are
        ("How much is the rent of the Auk?", BOATS, "Rent", "£20", "£45"),
        ("How much is the rent of the Gull?", BOATS, "Rent", "£20", None),  # no value
        # properties in columns
        ("How many seats of A-13 are free?", DESKS, "A-13", "7.00", "11"),
        ("What is the price of A-12?", DESKS, "A-12", "3", "9.50"),
        ("Who is the head of the library?", CREW, "Library", "Library", "Tom Riis"),
        # properties in rows
        ("What is the height?", PLAIN, "Height", "120", "120 m"),
        ("What is the range of the Kite?", KITES, "Kite |", "320", "320 km"),  # a name within another
        ("What is the price of the Kite Plus?", KITES, "Kite Plus", "450", "£260"),
        ("What is the price of the Kite Pro?", KITES, "Kite Plus", "£260", None),
        # records
        ("How many A-12 are on hand?", RECORDS, "Code: A-12", "310", "7"),
        ("What is the price of the B-40?", RECORDS, "Code: B-40", "0", "190"),
        # not clear which
        ("How much is a new wheel?", REPAIRS, "New wheel", "€45", None),
        ("How much is a new wheel for the Swan?", REPAIRS, "New wheel", "€45", None),
        ("How much is a new saddle for the Heron?", REPAIRS, "New wheel", "€70", None),
        ("What is the weight of A-12?", DESKS, "A-12", "9.50", None),
        ("When was the library built?", CREW, "Library", "Tom Riis", None),
        ("What is B-40?", RECORDS, "Code: B-40", "190", None),
        ("How many A-14 are on hand?", RECORDS, "Code: A-12", "7", None),
    ],
)
def test_cell_is_the_one_asked_for(question: str, table: str, row: str, found: str, shown: str | None) -> None:
    at = table.index(row)
    start = table.index(found, at)
    rows = table_at(table, at)
    assert rows is not None
    focus = Focus(start=start, end=start + len(found), confidence=0.9)
    settled = focus_in_table(analyse_question(question, "en"), rows, table, focus)
    assert (table[settled.start : settled.end] if settled else None) == shown


def test_sum_of_money_says_what_a_thing_costs() -> None:
    rows = table_at(KARTEN, KARTEN.index("Jahr"))
    assert rows is not None
    analysis = analyse_question("Was kostet die Karte für Kinder im Jahr?", "de")
    settled = focus_in_table(analysis, rows, KARTEN, None)
    assert settled is not None
    assert KARTEN[settled.start : settled.end] == "45 €"


def test_header_of_a_table_that_is_cut_off_names_its_columns() -> None:
    row = "Yearly check | €30 | €38"
    rows = table_at(row, 0, "Work | Kite | Heron")
    assert rows is not None
    settled = focus_in_table(analyse_question("How much is a yearly check of the Heron?"), rows, row, None)
    assert settled is not None
    assert row[settled.start : settled.end] == "€38"


def test_without_a_header_no_cell_of_several_is_the_short_answer() -> None:
    row = "Yearly check | €30 | €38"
    rows = table_at(row, 0)
    assert rows is not None
    assert focus_in_table(analyse_question("How much is a yearly check?"), rows, row, None) is None


def test_name_of_a_thing_in_the_title_is_told_of_every_cell() -> None:
    rows = table_at(PLAIN, 0)
    assert rows is not None
    analysis = analyse_question("What is the height of the tower?")
    assert focus_in_table(analysis, rows, PLAIN, None) is None
    assert focus_in_table(analysis, rows, PLAIN, None, context={"tower"}) is not None


@pytest.mark.parametrize(("found", "confidence"), [("€45", 0.7), ("€70", 0.99)])
def test_cell_beside_the_words_found_is_less_sure(found: str, confidence: float) -> None:
    at = REPAIRS.index(found)
    rows = table_at(REPAIRS, at)
    assert rows is not None
    focus = Focus(start=at, end=at + len(found), confidence=0.99)
    settled = focus_in_table(analyse_question("How much is a new wheel for the Heron?"), rows, REPAIRS, focus)
    assert settled is not None
    assert settled.confidence == confidence


@pytest.mark.parametrize("text", ["The mill opens at 9:00; it closes at noon.", "Note: the mill is old.", ""])
def test_sentence_is_no_table(text: str) -> None:
    assert table_at(text, 0) is None
