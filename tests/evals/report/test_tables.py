"""Test the tables of figures."""

from __future__ import annotations

from evals.report.tables import table


def test_table_has_a_row_for_each_part() -> None:
    assert table({"en": {"right": 0.5}, "de": {"right": 1.0}}).splitlines()[2:] == ["| en | 0.500 |", "| de | 1.000 |"]


def test_table_of_figures_and_parts_has_a_row_for_each_figure() -> None:
    rows = table({"kept": 0.5, "with_call": {"kept": 1.0}}).splitlines()[2:]
    assert rows == ["| kept           | 0.500 |", "| with_call.kept | 1.000 |"]
