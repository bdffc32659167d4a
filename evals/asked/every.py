"""Ask every set in this process; write one table of them, and what went wrong: ``python -m evals.asked.every``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click
import structlog

from domain.errors import WellreadError
from evals.asked.figures import failures_of, figures_of
from evals.asked.grade import Graded, grade_all
from evals.asked.packages import install_packages
from evals.asked.questions import CHOOSE, SHIPPED, open_question_set
from evals.asked.quick import ask_by_default
from evals.asked.report import publish_text
from evals.modes import Figures
from evals.report.tables import table

#: the figures of the table, and what is wanted of a set that nothing was chosen on
WANTED: Final[Figures] = {
    "right": 0.68,
    "right_shown": None,
    "right_own_words": 0.7,
    "right_page_words": 0.92,
    "wrong": 0.11,
    "answered_right": 0.9,
    "unsure_right": 0.5,
    "sure_and_wrong": 0.02,
    "unanswerable_withheld": 0.85,
    "unanswerable_withheld_or_unsure": 0.95,
    "gold_text_in_8": 0.95,
    "auroc": 0.8,
    "ece": 0.06,
    "answer_words": 60.0,
}


@click.command()
@click.option("--publish", "published", is_flag=True, help="Write the tables into evals/README.md.")
@click.option("--cache", type=click.Path(path_type=Path), help="Folder of stored vectors; default: in the data folder.")
@click.argument("names", metavar="[SET]...", nargs=-1)
def main(names: tuple[str, ...], published: bool, cache: Path | None) -> None:
    """Ask all sets, or those named; print a table with a row for each, and one of what went wrong."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is stopped
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    try:
        text = tables({name: _ask(name, cache) for name in names or _shipped()})
        click.echo(text)
        if published:
            publish_text("every set", f"By --quick on {datetime.now(UTC).date().isoformat()}.\n\n{text}\n")
    except WellreadError as error:
        raise click.ClickException(str(error)) from error


def tables(sets: Mapping[str, Sequence[Graded]]) -> str:
    """Return the figures of sets, alone and together, and below them how many questions failed in each way."""
    pooled = {
        "all that choose": [one for name, graded in sets.items() if name in CHOOSE for one in graded],
        "all that only report": [one for name, graded in sets.items() if name not in CHOOSE for one in graded],
    }
    figures = {name: figures_of(graded) for name, graded in {**sets, **pooled}.items() if graded}
    rows = {name: {figure: of[figure] for figure in WANTED} for name, of in figures.items()}
    failures = {name: failures_of(graded) for name, graded in sets.items()}
    return f"{table({**rows, 'wanted': WANTED})}\n\nwhat went wrong, in questions\n\n{table(failures)}"


def _shipped() -> list[str]:
    """Return the names of the shipped sets, that which chooses nothing first."""
    found = (file.parent.name for file in SHIPPED.glob("*/questions.jsonl"))
    return sorted(found, key=lambda name: (name != "manuals", name))


def _ask(name: str, cache: Path | None) -> list[Graded]:
    of = open_question_set(name)
    install_packages(of.sites.values())
    return grade_all(ask_by_default(of, of.questions, cache), of)


if __name__ == "__main__":
    main(prog_name="python -m evals.asked.every")
