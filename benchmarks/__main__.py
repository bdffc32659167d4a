"""Measure Wellread's speed: ``python -m benchmarks NAME``."""

from __future__ import annotations

import importlib
import json
import logging
import sys
from pathlib import Path

import click
import structlog

from benchmarks.options import Options
from benchmarks.report import Report
from domain.errors import WellreadError
from workers.settings import load

#: name → what it measures; ``benchmarks.NAME`` holds a function ``measure``
BENCHMARKS = {
    "retrieval": "from a question to its hits, verdict and answer, beside embedding",
    "embedding": "texts embedded, against onnxruntime alone",
    "answer": "a question answered from the knowledge base over HTTP",
    "hop": "from task to task, against Celery and huey alone",
    "crawl": "pages read with extraction, beside Scrapy on the same pages; needs the dependency group `bench`",
    "claim": "claiming due pages among a million, on SQLite and PostgreSQL",
    "startup": "`wellread --help`, and `wellread up` until it is ready",
}
FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command(epilog="\n\n".join(f"{name}: {says}" for name, says in BENCHMARKS.items()))
@click.argument("names", metavar="NAME…", nargs=-1, required=True, type=click.Choice([*BENCHMARKS, "all"]))
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option("--passages", type=click.IntRange(min=1_000), default=10_000, show_default=True, help="Searched in.")
@click.option("--rounds", type=click.IntRange(min=1), default=200, show_default=True, help="Questions, texts or tasks.")
@click.option("--pages", type=click.IntRange(min=2_000), default=5_000, show_default=True, help="Read in a row.")
@click.option("--folder", type=FOLDER, help="Where knowledge bases are kept; default: Wellread's cache.")
@click.option("--models", type=FOLDER, help="Where converted models are kept; default: Wellread's data folder.")
@click.option("--embedder", default="minilm", show_default=True, help="As in the setting WELLREAD_EMBEDDER.")
def main(
    names: tuple[str, ...],
    as_json: bool,
    passages: int,
    rounds: int,
    pages: int,
    folder: Path | None,
    models: Path | None,
    embedder: str,
) -> None:
    """Measure speed; a target that is missed is said to be, and fails nothing."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    settings = load()
    options = Options(
        passages=passages,
        rounds=rounds,
        folder=(folder or settings.data_dir / "cache" / "benchmarks").absolute(),
        models_dir=(models or settings.models_dir).absolute(),
        embedder=embedder,
        pages=pages,
    )
    try:
        reports = {name: _measured(name, options) for name in (BENCHMARKS if "all" in names else names)}
    except WellreadError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps({name: report.as_json() for name, report in reports.items()}, indent=1))
    else:
        click.echo("\n\n".join("\n".join(report.as_lines()) for report in reports.values()))


def _measured(name: str, options: Options) -> Report:
    report: Report = importlib.import_module(f"benchmarks.{name}").measure(options)
    return report


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
