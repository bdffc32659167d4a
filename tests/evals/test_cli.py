"""The commands, with the bundled embedder and without."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from evals.__main__ import main
from evals.knowledge.ablations import ABLATIONS
from evals.measure.retrieval import ARMS, FIGURES
from evals.modes import MODES, runs_in
from evals.report.floors import FLOORED
from evals.report.tables import Measured, flat, table, write_report
from tests.evals.small_set import CORPUS, write_set

FULL = {"retrieval": {arm: {"recall@1": 0.5, "ms": 12.34} for arm in ARMS}}


@pytest.fixture
def towers(tmp_path: Path) -> Path:
    return write_set(tmp_path / "towers")


def test_json_is_all_that_is_printed(towers: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main, ["retrieval", str(towers), "--json", "--embedder", "multilingual", "--cache", str(tmp_path / "cache")]
    )
    assert done.exit_code == 0, done.output
    figures = json.loads(done.stdout)
    assert tuple(figures) == ARMS
    assert set(figures["final"]) == {*FIGURES, "ms"}
    assert figures["final"]["recall@10"] == 1


def test_unknown_part_is_refused_with_the_names_there_are(towers: Path) -> None:
    done = CliRunner().invoke(main, ["judge", str(towers), "--ablate", "everything"])
    assert done.exit_code == 2
    assert all(name in done.output for name in ABLATIONS)


@pytest.mark.parametrize("mode", list(MODES))
def test_help_explains_every_part_and_what_the_figures_mean(mode: str) -> None:
    text = CliRunner().invoke(main, [mode, "--help"], terminal_width=200).output
    assert all(f"{name}: {ablation.off}" in text for name, ablation in ABLATIONS.items())
    assert (MODES[mode].measure.__doc__ or "").split(".")[0][:40] in text


def test_malformed_folder_is_reported_in_a_line(towers: Path) -> None:
    with (towers / "corpus.jsonl").open("a") as file:
        file.write("no json\n")
    done = CliRunner().invoke(main, ["answers", str(towers)])
    assert done.exit_code == 1
    assert f"{towers / 'corpus.jsonl'}, line 7" in done.output
    assert "Traceback" not in done.output


def test_floors_are_pinned_on_the_shipped_sets_alone(towers: Path) -> None:
    done = CliRunner().invoke(main, ["check", "--data", str(towers.parent), "--pin"])
    assert done.exit_code == 2
    assert "whole of the small sets" in done.output


def test_translated_sets_are_asked_across_languages_too(tmp_path: Path) -> None:
    write_set(tmp_path / "en")
    write_set(tmp_path / "de", lang="de")
    write_set(tmp_path / "other", corpus=CORPUS[:1], qrels=["q0\td0\t1"])
    runs = {run.set.name: run for run in runs_in(tmp_path)}
    assert set(runs) == {"en", "de", "other", "en in de", "de in en"}
    assert runs["de"].modes == tuple(MODES)
    assert runs["en in de"].modes == ("retrieval",)


def test_report_is_written_as_figures_and_tables(tmp_path: Path) -> None:
    measured = [Measured(name="a & b", embedder="hashing", figures=FULL)]
    figures, tables = write_report(measured, tmp_path)
    assert json.loads(figures.read_text())["a & b"]["retrieval"]["final"]["recall@1"] == 0.5
    assert "| final" in tables.read_text()
    assert "12.3" in tables.read_text()


def test_figures_are_named_by_their_parts() -> None:
    assert flat({"judge": {"must_crawl": {"ece": 0.1}}}) == {"judge.must_crawl.ece": 0.1}


def test_table_shows_what_was_not_measured_as_a_dash() -> None:
    assert table({"f1": None, "missed": 3}).splitlines()[2:] == ["| f1     |     – |", "| missed |     3 |"]


def test_page_on_measuring_names_every_mode_and_floor() -> None:
    page = (Path(__file__).parents[2] / "evals/README.md").read_text("utf-8")
    assert [name for name in MODES if f"`{name}`" not in page] == []
    assert [figure for figure in {name.split(".")[1] for name in FLOORED} if _stem(figure) not in page] == []


def _stem(figure: str) -> str:
    """Name a figure as the page does: recall@5_second as recall@k_second."""
    return "`" + re.sub(r"(recall|all)@\d+", r"\1@k", figure) + "`"
