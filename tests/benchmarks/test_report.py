"""Figures, their targets, and a report as text and JSON."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.report import Figure, Report, ratio, spread


@pytest.mark.parametrize(
    ("figure", "holds"),
    [
        (Figure(name="free", value=3.0), None),
        (Figure(name="little", value=3.0, at_most=3.0), True),
        (Figure(name="too much", value=3.1, at_most=3.0), False),
        (Figure(name="enough", value=0.97, at_least=0.97), True),
        (Figure(name="too little", value=0.96, at_least=0.97), False),
    ],
)
def test_a_target_is_reached_or_not(figure: Figure, holds: bool | None) -> None:
    assert figure.holds is holds
    [_, line] = Report(title="t", figures=[figure]).as_lines()
    assert ("MISSED" in line) is (holds is False)
    assert ("holds" in line) is (holds is True)


def test_times_are_shown_in_milliseconds() -> None:
    middle, late = spread("search", [0.001] * 99 + [0.1], p50=2.0)
    assert (middle.value, middle.unit, middle.holds) == (pytest.approx(1.0), "ms", True)
    assert late.value < 100
    assert late.holds is None


def test_a_ratio_is_of_medians() -> None:
    assert ratio("x", [2.0, 2.0, 90.0], [1.0, 1.0, 0.1]).value == 2.0


def test_a_report_becomes_json() -> None:
    report = Report(title="t", figures=[Figure(name="a", value=1.23456, unit="ms", at_most=2)], notes=["n"])
    stored = json.loads(json.dumps(report.as_json()))
    assert stored["figures"][0] == {
        "name": "a", "value": 1.2346, "unit": "ms", "at_most": 2, "at_least": None, "holds": True
    }  # fmt: skip


def test_help_names_every_benchmark() -> None:
    text = CliRunner().invoke(main, ["--help"]).output
    assert all(f"{name}:" in text for name in BENCHMARKS)


def test_a_benchmark_that_there_is_not_is_refused_with_those_there_are() -> None:
    done = CliRunner().invoke(main, ["everything"])
    assert done.exit_code == 2
    assert all(name in done.output for name in BENCHMARKS)
