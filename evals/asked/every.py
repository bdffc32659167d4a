"""Ask every set in this process, and write one table of them: ``python -m evals.asked.every``."""

from __future__ import annotations

import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click
import structlog

from domain.errors import WellreadError
from evals.asked.figures import figures_of
from evals.asked.grade import grade_all
from evals.asked.packages import install_packages
from evals.asked.questions import SHIPPED, read_question_set
from evals.asked.quick import ask_quickly
from evals.asked.report import publish_text
from evals.modes import Figures
from evals.report.tables import table
from store.embedders import open_embedder
from workers.settings import load

#: the figures of the table, and what is wanted of a set that nothing was chosen on
WANTED: Final[Figures] = {
    "right": None,
    "right_shown": None,
    "right_own_words": 0.8,
    "right_page_words": 0.95,
    "wrong": None,
    "sure_and_wrong": 0.03,
    "unanswerable_withheld": 0.92,
    "gold_text_in_8": 0.97,
    "auroc": 0.9,
    "answer_words": 60.0,
}


@click.command()
@click.option("--publish", "published", is_flag=True, help="Write the table into docs/evals.md.")
@click.option("--cache", type=click.Path(path_type=Path), help="Folder of stored vectors; default: in the data folder.")
@click.argument("names", metavar="[SET]...", nargs=-1)
def main(names: tuple[str, ...], published: bool, cache: Path | None) -> None:
    """Ask all sets, or those named, and print a table with a row for each."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is stopped
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    try:
        rows = {name: _ask(name, cache) for name in names or _shipped()}
        text = table({**rows, "wanted": WANTED})
        click.echo(text)
        if published:
            publish_text("every set", f"By --quick on {datetime.now(UTC).date().isoformat()}.\n\n{text}\n")
    except WellreadError as error:
        raise click.ClickException(str(error)) from error


def _shipped() -> list[str]:
    """Return the names of the shipped sets, that which chooses nothing first."""
    found = (file.parent.name for file in SHIPPED.glob("*/questions.jsonl"))
    return sorted(found, key=lambda name: (name != "manuals", name))


def _ask(name: str, cache: Path | None) -> Figures:
    of = read_question_set(SHIPPED / name if (SHIPPED / name).is_dir() else Path(name))
    install_packages(of.sites.values())
    settings = load()
    embedder = open_embedder("auto", models_dir=settings.models_dir, threads=1)
    replies = ask_quickly(of, of.questions, embedder, cache=cache or settings.data_dir / "cache")
    figures = figures_of(grade_all(replies, of))
    return {name: figures[name] for name in WANTED}


if __name__ == "__main__":
    main(prog_name="python -m evals.asked.every")
