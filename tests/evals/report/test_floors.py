"""Floors hold figures, and are lowered only by name."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.modes import runs_in
from evals.report.floors import (
    FloorError,
    find_regressions,
    raise_floors,
    read_floors,
    regressions_not_allowed,
    write_floors,
)
from evals.sets.beir import SHIPPED

FLOORS = {"small": {"retrieval.final.recall@1": 0.9, "judge.must_crawl.ece": 0.1}}


def numbers(recall: float | None, ece: float | None) -> dict[str, dict[str, float | None]]:
    return {"small": {"retrieval.final.recall@1": recall, "judge.must_crawl.ece": ece, "retrieval.final.ms": 5.0}}


@pytest.mark.parametrize(
    ("recall", "ece", "regressions"),
    [
        (0.9, 0.1, []),  # as pinned
        (0.95, 0.02, []),  # better
        (0.89, 0.1, ["small.retrieval.final.recall@1"]),  # more is better
        (0.9, 0.11, ["small.judge.must_crawl.ece"]),  # less is better
        (None, 0.1, ["small.retrieval.final.recall@1"]),  # not measured
    ],
)
def test_figure_regresses_when_it_is_worse_than_its_floor(
    recall: float | None, ece: float | None, regressions: list[str]
) -> None:
    assert [regression.name for regression in find_regressions(numbers(recall, ece), FLOORS)] == regressions


def test_set_that_is_no_longer_measured_find_regressions() -> None:
    assert len(find_regressions({}, FLOORS)) == 2


def test_regression_names_the_measured_figure_and_its_floor() -> None:
    recall, ece = find_regressions(numbers(0.85, 0.2), FLOORS)
    assert str(recall) == "small.retrieval.final.recall@1: 0.8500, must be at least 0.9"
    assert str(ece) == "small.judge.must_crawl.ece: 0.2000, must be at most 0.1"


def test_floor_is_lowered_only_by_its_name() -> None:
    worse = numbers(0.8, 0.2)
    with pytest.raises(FloorError, match="only by name"):
        raise_floors(worse, FLOORS, ["small.judge.must_crawl.ece"])
    both = ["small.judge.must_crawl.ece", "small.retrieval.final.recall@1"]
    raised = raise_floors(worse, FLOORS, both)
    assert raised["small"] == {"retrieval.final.recall@1": 0.79, "judge.must_crawl.ece": pytest.approx(0.21, abs=1e-3)}
    assert find_regressions(worse, raised) == []


def test_name_that_no_floor_has_is_refused() -> None:
    with pytest.raises(FloorError, match=r"no floor small\.answers\.f1"):
        regressions_not_allowed([], ["small.answers.f1"], FLOORS)


def test_floor_is_raised_to_just_below_what_was_measured_and_never_lowered_unasked() -> None:
    raised = raise_floors(numbers(0.97, 0.1), FLOORS, [])
    assert raised["small"]["retrieval.final.recall@1"] == 0.96
    assert raised["small"]["judge.must_crawl.ece"] == 0.1  # the slack above .1 would be a lower floor
    assert "retrieval.final.ms" not in raised["small"]  # a time has no floor


def test_whole_share_is_pinned_whole() -> None:
    assert raise_floors(numbers(1.0, 0.0), FLOORS, [])["small"]["retrieval.final.recall@1"] == 1.0


@given(st.floats(0, 1), st.floats(0, 1))
def test_what_was_just_measured_holds_the_floors_pinned_from_it(recall: float, ece: float) -> None:
    measured = numbers(recall, ece)
    assert find_regressions(measured, raise_floors(measured, {}, [])) == []


def test_floors_come_back_as_they_were_written(tmp_path: Path) -> None:
    write_floors(FLOORS, tmp_path / "floors.json")
    assert read_floors(tmp_path / "floors.json") == FLOORS
    assert read_floors(tmp_path / "none.json") == {}


def test_every_pinned_set_is_shipped_and_every_shipped_set_is_pinned() -> None:
    others = {"pages", "follow-ups", "sentences", "sites"}
    assert others | {run.set.name for run in runs_in(SHIPPED)} == set(read_floors())


def test_shipped_sets_name_their_licence() -> None:
    readme = (SHIPPED / "README.md").read_text("utf-8")
    assert "CC BY-SA 4.0" in readme
    for run in runs_in(SHIPPED):
        assert run.set.name.partition(" in ")[0] in readme
