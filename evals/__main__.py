"""Measure Wellread's quality: ``python -m evals retrieval|judge|answers|variants DIR``, ``python -m evals check``."""

from __future__ import annotations

import inspect
import json
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import structlog

from domain.errors import WellreadError
from evals.check import SHIPPED, Measured, Run, numbers_of, runs_in, write_report
from evals.knowledge.ablations import ABLATIONS
from evals.measures import MODES, chosen, has_questions, measure
from evals.report.floors import PINNED, Numbers, falls, not_allowed, pinned_anew, read_floors, write_floors
from evals.report.tables import rounded, table
from evals.sets.beir import EvalSet, read_set
from store.embedders import Embedder, open_embedder
from workers.settings import load

FOLDER = click.Path(path_type=Path)
_PARTS = "\n".join(f"  {name}: {ablation.off}" for name, ablation in ABLATIONS.items())
_SHARED = f"""DIR holds corpus.jsonl (_id, title, text, lang), queries.jsonl (_id, text, answers, answerable) and
qrels.tsv (query-id, corpus-id, score). Its corpus is put into stores of its own, which are gone afterwards. The
settings are the defaults, and no model of a provider is asked.

\b
Parts that --ablate switches off:
{_PARTS}"""


@click.group()
def main() -> None:
    """Measure quality on data sets."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def _command(name: str) -> click.Command:
    """Make the command that measures one mode."""
    mode = MODES[name]
    explained = inspect.cleandoc(mode.measure.__doc__ or "")

    @click.argument("folder", metavar="DIR", type=FOLDER)
    @click.option("--corpus", metavar="DIR2", type=FOLDER, help="Take the corpus from here; its ids are those of DIR.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
    @click.option("--limit", type=click.IntRange(min=1), help="Ask a sample of so many questions, the same each time.")
    @click.option("--ablate", multiple=True, type=click.Choice(list(ABLATIONS)), help="Switch a part off; repeatable.")
    @click.option("--embedder", default="auto", show_default=True, help="As in the setting WELLREAD_EMBEDDER.")
    @click.option("--models", type=FOLDER, help="Where converted models are kept; default: Wellread's data folder.")
    @click.option("--cache", type=FOLDER, help="Where a corpus's vectors are kept; default: in Wellread's data folder.")
    @click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="To embed with.")
    def command(
        folder: Path,
        corpus: Path | None,
        as_json: bool,
        limit: int | None,
        ablate: Sequence[str],
        embedder: str,
        models: Path | None,
        cache: Path | None,
        threads: int,
    ) -> None:
        with told():
            each = read_set(folder, corpus=corpus)
            opened = opened_embedder(embedder, models, threads)
            with ticking(name, each, limit) as tick:
                figures = measure(
                    [name], each, opened, cache=cache or default_cache(), limit=limit, ablate=ablate, tick=tick
                )[name]
        if as_json:
            click.echo(json.dumps(rounded(figures), indent=1))
        else:
            click.echo(f"{each.name}, {name}, {opened.id}{''.join(f', without {part}' for part in ablate)}\n")
            click.echo(table(figures))

    return click.command(name, help=f"{mode.says}\n\n{explained}\n\n{_SHARED}")(command)


def opened_embedder(name: str, models: Path | None, threads: int) -> Embedder:
    """Open an embedder; a remote one by the settings of this machine."""
    settings = load()
    return open_embedder(
        name,
        models_dir=models or settings.models_dir,
        threads=threads,
        base_url=settings.embedder_base_url,
        api_key=settings.embedder_api_key.get_secret_value(),
    )


def default_cache() -> Path:
    """Return the folder in which vectors are kept from one run to the next."""
    return load().data_dir / "cache"


@contextmanager
def told() -> Iterator[None]:
    """Show what went wrong as one line."""
    try:
        yield
    except WellreadError as error:
        raise click.ClickException(str(error)) from error


@contextmanager
def ticking(mode: str, each: EvalSet, limit: int | None) -> Iterator[Callable[[], None]]:
    """Show on a terminal how far a measurement has come."""
    length = MODES[mode].ticks(chosen(mode, each.questions, limit))
    hidden = not sys.stderr.isatty()
    bar: Any
    with click.progressbar(length=length, label=f"{each.name}, {mode}", file=sys.stderr, hidden=hidden) as bar:
        yield lambda: bar.update(1)


@main.command("check")
@click.option("--data", type=FOLDER, default=SHIPPED, help="Folder of sets; default: the small ones of the repository.")
@click.option("--build", type=FOLDER, default=Path("build/evals"), show_default=True, help="Where to write the report.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask a sample of each set; floors are then not compared.")
@click.option("--pin", is_flag=True, help="Pin what was measured as the new floors.")
@click.option(
    "--allow-regression", "allowed", multiple=True, metavar="NAME", help="Let this floor be missed, or lowered."
)
@click.option("--models", type=FOLDER, help="Where converted models are kept; default: Wellread's data folder.")
@click.option("--cache", type=FOLDER, help="Where vectors are kept; default: in Wellread's data folder.")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="To embed with.")
def check(
    data: Path,
    build: Path,
    limit: int | None,
    pin: bool,
    allowed: Sequence[str],
    models: Path | None,
    cache: Path | None,
    threads: int,
) -> None:
    """Measure every set of a folder, write a report, and fail where a figure is worse than its pinned floor.

    A floor is raised with --pin, and lowered with --pin only where --allow-regression names it.
    """
    if pin and (limit or data != SHIPPED):
        raise click.UsageError("Floors are pinned on the whole of the small sets: leave out --data and --limit.")
    with told():
        measured = [_measured(run, models, cache or default_cache(), threads, limit) for run in runs_in(data)]
        for file in write_report(measured, build):
            click.echo(f"wrote {file}")
        if data == SHIPPED and not limit:
            _compare(numbers_of(measured), allowed, pin=pin)


def _measured(run: Run, models: Path | None, cache: Path, threads: int, limit: int | None) -> Measured:
    """Measure a set and print its tables."""
    embedder = opened_embedder(run.embedder, models, threads)
    click.echo(f"{run.set.name}, {embedder.id}")
    modes = [mode for mode in run.modes if has_questions(mode, run.set)]
    figures = measure(modes, run.set, embedder, cache=cache, limit=limit)
    for mode, of in figures.items():
        click.echo(f"\n{mode}\n\n{table(of)}")
    click.echo()
    return Measured(name=run.set.name, embedder=embedder.id, figures=figures)


def _compare(numbers: Numbers, allowed: Sequence[str], *, pin: bool) -> None:
    """Fail where a figure fell; else pin the floors if that is wanted."""
    floors = read_floors()
    fallen = falls(numbers, floors)
    for fall in fallen:
        click.echo(f"{'allowed' if fall.name in allowed else 'WORSE'}  {fall}")
    if stopped := not_allowed(fallen, allowed, floors):
        raise click.ClickException(
            f"{len(stopped)} of {sum(map(len, floors.values()))} figures are below their floors."
        )
    if pin:
        write_floors(pinned_anew(numbers, floors, allowed))
        click.echo(f"pinned {PINNED.name}")
    click.echo("No figure is below its floor.")


for _name in MODES:
    main.add_command(_command(_name))

if __name__ == "__main__":
    main(prog_name="python -m evals")
