"""The rows of a table, or the items of a list, are objects where it is clear which field each cell gives."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pipeline.answering.structured.rows import rows_of
from pipeline.answering.structured.schema import MAX_ROWS, Leaf, Rows
from tests.tables import each_row


def rows(**kinds: Any) -> Rows:
    fields = tuple(Leaf(path=(name,), kind=kind) for name, kind in kinds.items())
    return Rows(path=("parts",), fields=fields)


def read(of: Rows, text: str, within: tuple[int, int] | None = None, lang: str = "en") -> list[dict[str, Any]]:
    return [row.values for row in rows_of(of, text, within or (0, len(text)), lang)]


PRICED = rows(name="string", price="number")
TABLE = "Part | Price | Weight\nLamp | 4 € | 2 kg\nWick | - | 1 kg"
LAMP, WICK = {"name": "Lamp", "price": 4}, {"name": "Wick"}


@each_row(
    ("of", "text", "found"),
    [
        (PRICED, TABLE, [LAMP, WICK]),  # the first column names the rows
        (PRICED, f"Prices:\n\n{TABLE}\n\nThat is all.", [LAMP, WICK]),
        (PRICED, "Price | Name\n4 | Lamp\n5 | Oil", [LAMP, {"name": "Oil", "price": 5}]),
        (rows(name="string", unitPrice="number"), "Part | Unit price\nLamp | 4", [{"name": "Lamp", "unitPrice": 4}]),
        (PRICED, "Part | Price\nLamp | 4\nspare parts\n", [LAMP]),
        (PRICED, "Part | Price\nLamp | 4 | new\nOil | 5", [{"name": "Oil", "price": 5}]),  # merged: which is which?
        (PRICED, "Part | Height\nLamp | 4\nOil | 5", []),  # another table
        (rows(a="string", b="string", c="string", price="number"), TABLE, [{"a": "Lamp", "price": 4}, {"a": "Wick"}]),
        (rows(a="number", b="number", price="number"), TABLE, []),  # most of the fields are not there
        (rows(name="string", inStock="boolean"), "Part | In stock\nLamp | ✓\nOil | ✗",
         [{"name": "Lamp", "inStock": True}, {"name": "Oil", "inStock": False}]),
        (PRICED, f"A | B\nx | y\n\n{TABLE}", [LAMP, WICK]),  # of two, the one with the fields
        (rows(step="string"), "Do this:\n\n1. Light it.\n2. Wait.\n", [{"step": "Light it"}, {"step": "Wait"}]),
        (PRICED, "- Lamp: 4 €\n- Oil – 5 €", [LAMP, {"name": "Oil", "price": 5}]),
        (PRICED, "- Lamp: 4 €\n- Oil", []),  # not every item has both
        (PRICED, "- Lamp: cheap\n- Oil: dear", []),
        (rows(a="string", b="string", c="string"), "- Lamp: 4\n- Oil: 5", []),
        (PRICED, "No table.", []),
        (PRICED, "cat a | b\ncat c | d", []),
    ],
)  # fmt: skip
def test_rows_are_read(of: Rows, text: str, found: list[dict[str, Any]]) -> None:
    assert read(of, text) == found


def test_table_that_goes_on_beyond_what_was_found_is_read_as_a_whole() -> None:
    text = f"{TABLE}\n\nElse.\n\nPart | Price\nOil | 5"
    assert read(PRICED, text, (TABLE.index("Lamp"), TABLE.index("Lamp") + 4)) == [LAMP, WICK]


def test_long_table_is_cut() -> None:
    text = "Part | Price\n" + "\n".join(f"Lamp {at} | {at}" for at in range(100))
    assert len(read(PRICED, text)) == MAX_ROWS


@given(st.text(alphabet=st.sampled_from("Part Price|-\n1.: "), max_size=120), st.data())
def test_every_row_is_a_line_of_the_page_that_says_its_values(text: str, at: st.DataObject) -> None:
    start = at.draw(st.integers(0, len(text)))
    for row in rows_of(PRICED, text, (start, len(text)), "en"):
        line = text[row.start : row.end]
        assert line
        assert "\n" not in line
        assert str(row.values.get("name", "")) in " ".join(line.split())
