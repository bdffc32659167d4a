"""Lists and definitions are read with the marks and terms that a reader sees."""

from __future__ import annotations

import pytest

from tests.crawler.extract.bodies import read_body
from tests.tables import each_row


@each_row(
    ("opening", "marks"),
    [
        ("<ol>", ["1", "2", "3"]),
        ("<ol start='9'>", ["9", "10", "11"]),
        ("<ol start='-1'>", ["-1", "0", "1"]),
        ("<ol reversed>", ["3", "2", "1"]),
        ("<ol reversed start='10'>", ["10", "9", "8"]),
        ("<ol type='a'>", ["a", "b", "c"]),
        ("<ol type='A' start='26'>", ["Z", "AA", "AB"]),
        ("<ol type='i' start='3'>", ["iii", "iv", "v"]),
        ("<ol class='upperroman simple'>", ["I", "II", "III"]),  # docutils
        ("<ol style='list-style-type: lower-alpha'>", ["a", "b", "c"]),  # DocBook
        ("<ol start='many' type='?'>", ["1", "2", "3"]),
        ("<ol start='99999999999'>", ["1", "2", "3"]),
    ],
)
def test_items_of_an_ordered_list_keep_their_numbers(opening: str, marks: list[str]) -> None:
    items = "<li>Trim the wick.</li><li>Fill it.</li><li>Light it.</li>"
    first, second, third = marks
    assert read_body(f"{opening}{items}</ol>") == f"{first}. Trim the wick.\n{second}. Fill it.\n{third}. Light it."


@pytest.mark.parametrize("opening", ["<ul>", "<ol style='list-style: none'>", "<menu>"])
def test_items_without_numbers_have_bullets(opening: str) -> None:
    tag = opening[1:].split(">")[0].split()[0]
    assert read_body(f"{opening}<li>oil</li><li>wick</li></{tag}>") == "- oil\n- wick"


def test_an_item_says_its_own_number_and_nested_lists_count_for_themselves() -> None:
    text = read_body(
        "<ol><li>Trim.</li><li value='5'>Fill.<ol type='a'><li>Oil.</li><li>Water.</li></ol></li>"
        "<li>Light.<ul><li>At dusk.</li></ul></li></ol>"
    )
    assert text == "1. Trim.\n5. Fill.\n  a. Oil.\n  b. Water.\n6. Light.\n  - At dusk."


@pytest.mark.parametrize(
    "markup",
    [
        "<dl><dt>wick</dt><dd>What burns.</dd><dt>oil</dt><dd><p>What it burns.</p></dd></dl>",
        "<dl><div><dt>wick</dt><dd>What burns.</dd></div><div><dt>oil</dt><dd>What it burns.</dd></div></dl>",
        "<dl><dt><p>wick</p></dt><dd><p>What burns.</p></dd><dt>oil<dd>What it burns.</dl>",
    ],
)
def test_a_term_stands_above_its_description(markup: str) -> None:
    assert read_body(markup) == "wick\nWhat burns.\n\noil\nWhat it burns."
