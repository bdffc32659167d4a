"""Measure Wellread's quality: ``python -m evals retrieval|judge|answers|variants DIR``, ``python -m evals check``."""

from __future__ import annotations

import inspect
import json
import logging
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import structlog

from domain.errors import WellreadError
from evals.knowledge.ablations import ABLATIONS
from evals.knowledge.held_out_sites import MANUALS, REPORTED
from evals.knowledge.vector_cache import CachedEmbedder
from evals.measure.extraction import measure_articles, measure_manuals
from evals.measure.follow_ups import PAGES, SPLITS, measure_answers, measure_wording, read_cases
from evals.measure.sites import measure_sites
from evals.measure.support import (
    SENTENCE_REPLIES,
    SENTENCES,
    by_kind,
    check_sentences,
    read_sentences,
    save_requests,
    shares_kept,
)
from evals.model.replies import Replies
from evals.modes import MODES, Run, measure, runs_in, select_questions
from evals.report.floors import (
    PINNED,
    Numbers,
    find_regressions,
    raise_floors,
    read_floors,
    regressions_not_allowed,
    write_floors,
)
from evals.report.tables import Measured, flat, rounded, table, write_report
from evals.sets.beir import SHIPPED, EvalSet, read_set
from evals.sets.pages import read_pages
from store.embedders import Embedder, open_embedder
from workers.settings import load

FOLDER = click.Path(path_type=Path)
_OF_A_SITE = 60
_PARTS = "\n".join(f"  {name}: {ablation.off}" for name, ablation in ABLATIONS.items())
_SHARED = f"""DIR holds corpus.jsonl (_id, title, text, lang), queries.jsonl (_id, text, answers, answerable) and
qrels.tsv (query-id, corpus-id, score). The corpus is put into temporary stores. The settings are the defaults, and no
provider's model is asked.

\b
What --ablate switches off:
{_PARTS}"""

_CACHE = click.option(
    "--cache",
    type=FOLDER,
    default=lambda: load().data_dir / "cache",
    help="Folder of stored vectors; default: in the data folder.",
)
_THREADS = click.option(
    "--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Threads to embed with."
)


@click.group()
def main() -> None:
    """Measure quality on data sets."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def _command(name: str) -> click.Command:
    """Return the command that measures one mode."""
    mode = MODES[name]
    figures_explained = inspect.cleandoc(mode.measure.__doc__ or "")

    @click.argument("folder", metavar="DIR", type=FOLDER)
    @click.option("--corpus", metavar="DIR2", type=FOLDER, help="Take the corpus of DIR2, which has the ids of DIR.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
    @click.option("--limit", type=click.IntRange(min=1), help="Ask this many questions: a sample, the same each time.")
    @click.option("--ablate", multiple=True, type=click.Choice(list(ABLATIONS)), help="Switch a part off; repeatable.")
    @click.option("--embedder", default="auto", show_default=True, help="As in the setting WELLREAD_EMBEDDER.")
    @_CACHE
    @_THREADS
    def command(
        folder: Path,
        corpus: Path | None,
        as_json: bool,
        limit: int | None,
        ablate: Sequence[str],
        embedder: str,
        cache: Path,
        threads: int,
    ) -> None:
        with _errors_in_one_line():
            eval_set = read_set(folder, corpus=corpus)
            opened = _open_embedder(embedder, threads)
            with _progress(name, eval_set, limit) as on_first_pass:
                figures = measure(
                    [name],
                    eval_set,
                    opened,
                    cache=cache,
                    limit=limit,
                    ablate=ablate,
                    on_first_pass=on_first_pass,
                )[name]
        if as_json:
            click.echo(json.dumps(rounded(figures), indent=1))
        else:
            click.echo(f"{eval_set.name}, {name}, {opened.id}{''.join(f', without {part}' for part in ablate)}\n")
            click.echo(table(figures))

    return click.command(name, help=f"{mode.summary}\n\n{figures_explained}\n\n{_SHARED}")(command)


def _open_embedder(name: str, threads: int) -> Embedder:
    """Open an embedder; a remote one with the settings of this machine."""
    settings = load()
    return open_embedder(
        name,
        models_dir=settings.models_dir,
        threads=threads,
        base_url=settings.embedder_base_url,
        api_key=settings.embedder_api_key.get_secret_value(),
    )


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    """Show an error of ours as one line, without a traceback."""
    try:
        yield
    except WellreadError as error:
        raise click.ClickException(str(error)) from error


@contextmanager
def _progress(mode: str, eval_set: EvalSet, limit: int | None) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal; yield the function that moves it by one step."""
    length = MODES[mode].first_passes(select_questions(mode, eval_set.questions, limit))
    hidden = not sys.stderr.isatty()
    bar: Any
    with click.progressbar(length=length, label=f"{eval_set.name}, {mode}", file=sys.stderr, hidden=hidden) as bar:
        yield lambda: bar.update(1)


@main.command("check")
@click.option("--data", type=FOLDER, default=SHIPPED, help="Folder of sets; default: the small ones of the repository.")
@click.option("--build", type=FOLDER, default=Path("build/evals"), show_default=True, help="Where to write the report.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask a sample of each set; floors are then not compared.")
@click.option("--pin", is_flag=True, help="Pin the measured figures as the new floors.")
@click.option(
    "--allow-regression", "allowed", multiple=True, metavar="NAME", help="Let this figure miss its floor, or lower it."
)
@_CACHE
@_THREADS
def check(
    data: Path,
    build: Path,
    limit: int | None,
    pin: bool,
    allowed: Sequence[str],
    cache: Path,
    threads: int,
) -> None:
    """Measure every set of a folder, write a report, and fail where a figure is worse than its pinned floor.

    --pin raises floors; it lowers one only where --allow-regression names it.
    """
    if pin and (limit or data != SHIPPED):
        raise click.UsageError("Floors are pinned on the whole of the small sets: leave out --data and --limit.")
    with _errors_in_one_line():
        embedder = _open_embedder("auto", threads)
        measured = [_measure(run, embedder, cache, limit) for run in runs_in(data)]
        if data == SHIPPED:
            measured += [
                _measure_extraction(),
                _measure_follow_ups(CachedEmbedder(embedder, cache)),
                _measure_support(),
                _measure_sites(CachedEmbedder(embedder, cache)),
            ]
        for file in write_report(measured, build):
            click.echo(f"wrote {file}")
        if data == SHIPPED and not limit:
            _compare({each.name: flat(each.figures) for each in measured}, allowed, pin=pin)


def _measure(run: Run, embedder: Embedder, cache: Path, limit: int | None) -> Measured:
    """Measure a set and print its tables."""
    click.echo(f"{run.set.name}, {embedder.id}")
    modes = [mode for mode in run.modes if any(map(MODES[mode].asks, run.set.questions))]
    figures = measure(modes, run.set, embedder, cache=cache, limit=limit)
    for mode, of_mode in figures.items():
        click.echo(f"\n{mode}\n\n{table(of_mode)}")
    click.echo()
    return Measured(name=run.set.name, embedder=embedder.id, figures=figures)


def _measure_extraction() -> Measured:
    """Measure what extraction keeps of the shipped pages, and print its table."""
    figures = {"manuals": measure_manuals(read_pages("manuals")), "articles": measure_articles(read_pages("articles"))}
    click.echo(f"pages\n\nextraction\n\n{table(figures)}\n")
    return Measured(name="pages", embedder="none", figures={"extraction": figures})


def _measure_follow_ups(embedder: Embedder) -> Measured:
    """Measure whether follow-ups are completed rightly, and those about the shipped pages answered; print the table."""
    cases = [case for split in SPLITS for case in read_cases(split)]
    answers = measure_answers([case for case in cases if case.site in PAGES], embedder)
    figures: dict[str, Mapping[str, Any]] = {"wording": measure_wording(cases), "answers": answers}
    click.echo(f"follow-ups\n\n{table(figures)}\n")
    return Measured(name="follow-ups", embedder=embedder.id, figures=figures)


def _measure_support() -> Measured:
    """Measure what the check keeps of a model's true sentences and of lies, and print the table."""
    kept = shares_kept(check_sentences(read_sentences(SENTENCES, "report"), Replies(SENTENCE_REPLIES)))
    click.echo(f"sentences\n\nsupport\n\n{table(flat(kept))}\n")
    return Measured(name="sentences", embedder="none", figures={"support": kept})


def _measure_sites(embedder: Embedder) -> Measured:
    """Measure the lookup on sites that no model learned from, and print the table."""
    of = {"unseen_pages": REPORTED, "unseen_manuals": MANUALS}
    figures = {name: measure_sites(sites, embedder, _OF_A_SITE) for name, sites in of.items()}
    click.echo(f"sites\n\n{table(figures)}\n")
    return Measured(name="sites", embedder=embedder.id, figures={"lookup": figures})


def _compare(numbers: Numbers, allowed: Sequence[str], *, pin: bool) -> None:
    """Fail where a figure is worse than its floor; else pin the floors if that is wanted."""
    floors = read_floors()
    regressions = find_regressions(numbers, floors)
    for regression in regressions:
        click.echo(f"{'allowed' if regression.name in allowed else 'WORSE'}  {regression}")
    if failing := regressions_not_allowed(regressions, allowed, floors):
        raise click.ClickException(
            f"{len(failing)} of {sum(map(len, floors.values()))} figures are below their floors."
        )
    if pin:
        write_floors(raise_floors(numbers, floors, allowed))
        click.echo(f"pinned {PINNED.name}")
    click.echo("No figure is below its floor.")


@main.command("follow-ups")
@click.option("--answers", is_flag=True, help="Look up those on the held-out manuals too; some ten minutes.")
@_CACHE
@_THREADS
def follow_ups(answers: bool, cache: Path, threads: int) -> None:
    """Measure whether follow-ups are completed from their threads, by rules, rightly."""
    for split in SPLITS:
        cases = read_cases(split)
        figures = measure_wording(cases)
        if answers:
            figures |= measure_answers(cases, CachedEmbedder(_open_embedder("auto", threads), cache))
        click.echo(f"follow-ups, {split}\n\n{table(figures)}\n")


@main.command("support")
@click.argument("file", metavar="FILE", type=FOLDER, default=SENTENCES)
@click.option("--part", default="", help="Only the sentences of this part: fit or report.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables by kind.")
@click.option("--lines", is_flag=True, help="Print what the check finds of each sentence.")
@click.option("--replies", type=FOLDER, default=SENTENCE_REPLIES, help="Folder of stored replies to the second call.")
@click.option("--missing", type=FOLDER, help="Write the requests of the second call that have no stored reply here.")
def support(file: Path, part: str, as_json: bool, lines: bool, replies: Path, missing: Path | None) -> None:
    """Measure how many true sentences of a model and how many lies the check keeps.

    FILE has a JSON line for each sentence; default: those of the repository. The check is measured where its reply is
    stored.
    """
    with _errors_in_one_line():
        sentences = read_sentences(file, part)
        stored = Replies(replies)
        checked = check_sentences(sentences, stored)
        if missing:
            lacking = save_requests(sentences, stored, missing)
            click.echo(f"{lacking} requests lack a reply; they are in {missing}.", err=True)
    told = [each.told() for each in checked] if lines else []
    if as_json:
        printed: dict[str, Any] = {**rounded(shares_kept(checked)), **({"lines": told} if lines else {})}
        click.echo(json.dumps(printed, indent=1, ensure_ascii=False))
        return
    for line in told:
        click.echo(json.dumps(line, ensure_ascii=False))
    click.echo(f"{table(flat(shares_kept(checked)))}\n\n{table(by_kind(checked))}")


for _name in MODES:
    main.add_command(_command(_name))

if __name__ == "__main__":
    main(prog_name="python -m evals")
