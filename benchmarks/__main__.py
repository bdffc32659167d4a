"""Measure Wellread's speed: ``python -m benchmarks NAME``."""

from __future__ import annotations

import json
import logging
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click
import structlog

from benchmarks.report import Options, Report
from domain.errors import WellreadError
from workers.settings import load


class Benchmark(NamedTuple):
    """A module with a function ``measure``, imported when it is run, and what that measures."""

    module: str
    measures: str
    of_all: bool = True  #: whether it is among `all`; false where it takes half an hour


BENCHMARKS = {
    "retrieval": Benchmark("benchmarks.retrieval", "from a question to its hits, verdict and answer, beside embedding"),
    "embedding": Benchmark("benchmarks.embedding", "texts embedded, beside onnxruntime alone"),
    "extraction": Benchmark("benchmarks.extraction", "pages extracted, beside trafilatura on the same pages"),
    "reading": Benchmark("benchmarks.reading", "the best passages read with a question, new and remembered"),
    "answer": Benchmark("benchmarks.answer", "a question answered from the knowledge base over HTTP"),
    "while_reading": Benchmark("benchmarks.while_reading", "questions answered while a site is read, beside alone"),
    "hop": Benchmark("benchmarks.hop.measure", "from task to task, beside Celery and huey alone"),
    "crawl": Benchmark(
        "benchmarks.crawl.measure",
        "pages read and extracted, beside Scrapy on the same pages; needs the dependency group `bench`",
    ),
    "claim": Benchmark("benchmarks.claim", "due pages claimed among a million, on SQLite and PostgreSQL"),
    "growth": Benchmark(
        "benchmarks.growth.measure", "a year of questions, those of the last month kept: size, sweep, start"
    ),
    "faults": Benchmark(
        "benchmarks.faults.measure",
        "questions asked while parts are killed, stopped and emptied: lost, recorded twice, begun again; not in `all`",
        of_all=False,
    ),
    "load": Benchmark(
        "benchmarks.load.measure",
        "1 to 256 callers at once over HTTP, and up to three times what is answered; not in `all`",
        of_all=False,
    ),
    "model": Benchmark(
        "benchmarks.model",
        "30 and 200 questions at once with a model's service that takes its time, beside without; not in `all`",
        of_all=False,
    ),
    "fleet": Benchmark(
        "benchmarks.fleet.measure",
        "50 to 500 workers whose steps sleep, on PostgreSQL and Valkey: when each part is full; not in `all`",
        of_all=False,
    ),
    "peers": Benchmark(
        "benchmarks.peers.measure",
        "passages indexed and questions asked, beside txtai and Haystack; needs their venv; not in `all`",
        of_all=False,
    ),
    "startup": Benchmark("benchmarks.startup", "`wellread --help`, and `wellread up` until it is ready"),
}
FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command(epilog="\n\n".join(f"{name}: {benchmark.measures}" for name, benchmark in BENCHMARKS.items()))
@click.argument("names", metavar="NAME…", nargs=-1, required=True, type=click.Choice([*BENCHMARKS, "all"]))
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option(
    "--passages", type=click.IntRange(min=1_000), default=10_000, show_default=True, help="Size of the knowledge base."
)
@click.option(
    "--copies", type=click.IntRange(min=1), default=1, show_default=True, help="Of each passage, to search among more."
)
@click.option("--rounds", type=click.IntRange(min=1), default=200, show_default=True, help="Questions, texts or tasks.")
@click.option(
    "--pages", type=click.IntRange(min=2_000), default=5_000, show_default=True, help="Pages read to watch memory."
)
@click.option(
    "--days", type=click.IntRange(min=61), default=365, show_default=True, help="Days on which questions are asked."
)
@click.option(
    "--a-day", type=click.IntRange(min=10), default=200, show_default=True, help="Questions on each of the days."
)
@click.option(
    "--questions", type=click.IntRange(min=1), default=1_000, show_default=True, help="Questions asked among faults."
)
@click.option("--postgres", is_flag=True, help="Among faults, keep the rows in PostgreSQL, and restart it.")
@click.option("--short", is_flag=True, help="Load for a minute instead of six.")
@click.option(
    "--workers", type=click.IntRange(min=2), multiple=True, default=(50, 100, 200, 500), help="Of a fleet; repeatable."
)
@click.option(
    "--embed-s", type=float, default=0.1, show_default=True, help="Seconds in which a fleet's writer embeds a page."
)
@click.option("--folder", type=FOLDER, help="Folder of knowledge bases; default: in the data folder's cache.")
@click.option("--embedder", default="minilm", show_default=True, help="As in the setting WELLREAD_EMBEDDER.")
def main(
    names: tuple[str, ...],
    as_json: bool,
    folder: Path | None,
    **sizes: Any,
) -> None:
    """Measure speed. A missed target is shown; it fails nothing."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    settings = load()
    options = Options(
        folder=(folder or settings.data_dir / "cache" / "benchmarks").absolute(),
        **sizes,
    )
    try:
        reports: dict[str, Report] = {
            name: import_module(BENCHMARKS[name].module).measure(options)
            for name in (_all() if "all" in names else names)
        }
    except WellreadError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps({name: report.as_json() for name, report in reports.items()}, indent=1))
    else:
        click.echo("\n\n".join("\n".join(report.as_lines()) for report in reports.values()))


def _all() -> list[str]:
    return [name for name, benchmark in BENCHMARKS.items() if benchmark.of_all]


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
