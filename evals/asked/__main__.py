"""Ask real questions about real pages and grade the answers: ``python -m evals.asked SET``."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click
import structlog

from domain.errors import WellreadError
from evals.asked.golds import faults
from evals.asked.grade import Graded, grade_all
from evals.asked.over_http import ask_by_crawling, ask_over_http, served
from evals.asked.packages import install_packages, missing_packages
from evals.asked.questions import MODEL, Question, QuestionSet, open_question_set, sample
from evals.asked.quick import ask_by_default
from evals.asked.report import FLOORS, Asked, publish, publish_text, read_replies, save_report, tables
from evals.asked.with_model import ask_with_model, figures, lacking_replies, lost_by_model, without_packages
from evals.report.floors import (
    find_regressions,
    raise_floors,
    read_floors,
    regressions_not_allowed,
    write_floors,
)
from evals.report.tables import flat, rounded, table

OVER_HTTP = "over HTTP"
FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("name", metavar="SET", default="manuals")
@click.option("--quick", is_flag=True, help="Ask in this process, without HTTP and workers: under a minute.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask this many questions: a sample, the same each time.")
@click.option("--crawl", type=click.IntRange(min=0), default=0, help="Ask this many also of an empty knowledge base.")
@click.option("--only-crawl", is_flag=True, help="Ask only those of an empty knowledge base.")
@click.option("--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Questions asked at a time.")
@click.option("--model", help="Ask with this model and without: replies (stored ones), claude, or a server's URL.")
@click.option("--only-missing", is_flag=True, help="With --model replies: ask where the last run lacked a reply.")
@click.option("--again", type=FOLDER, help="Ask nothing: grade the replies of this report (asked-SET.json) again.")
@click.option("--check", "only_check", is_flag=True, help="Ask nothing: check the golds against the pages.")
@click.option("--misses", is_flag=True, help="Print the questions that were not answered rightly.")
@click.option("--publish", "published", is_flag=True, help="Write the tables into evals/README.md or NOTES.md.")
@click.option("--pin", is_flag=True, help="Pin the measured figures as the new floors.")
@click.option(
    "--allow-regression", "allowed", multiple=True, metavar="NAME", help="Let this figure miss its floor, or lower it."
)
@click.option("--build", type=FOLDER, default=Path("build/evals"), show_default=True, help="Where to write the report.")
@click.option("--cache", type=FOLDER, help="Folder of stored vectors for --quick; default: in the data folder.")
def main(
    name: str,
    quick: bool,
    limit: int | None,
    crawl: int,
    only_crawl: bool,
    jobs: int,
    model: str | None,
    only_missing: bool,
    again: Path | None,
    only_check: bool,
    misses: bool,
    published: bool,
    pin: bool,
    allowed: Sequence[str],
    build: Path,
    cache: Path | None,
) -> None:
    """Ask a set of questions about real sites, grade the answers, and fail where a figure is below its floor.

    SET is one of the sets in evals/asked/sets, or a folder with the same files. Pages come from Debian packages, which
    are installed where that is possible. Without --quick the questions are asked of `wellread up` over HTTP.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is stopped
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    try:
        of = open_question_set(name)
        if again:
            how, replies, crawled = read_replies(again)
            asked = Asked(name=of.name, how=how, graded=grade_all(replies, of), crawled=grade_all(crawled, of))
        else:
            if of.name == MODEL and (missing := missing_packages(of.sites.values())):
                _tell(f"Left out, for these packages are not installed: {' '.join(missing)}")
                of = without_packages(of, missing)
            install_packages(of.sites.values())
            if only_check:
                return _check(of)
            if model:
                names = lacking_replies(build) if only_missing else None
                chosen = [one for one in of.questions if names is None or one.id in names]
                whole = _ask_with_model(of, sample(chosen, limit), model, build, misses=misses, published=published)
                return _compare(of.name, whole, allowed, pin=pin) if whole and model == "replies" else None
            chosen = [] if only_crawl else sample(of.questions, limit)
            asked = _ask_quickly(of, chosen, cache) if quick else _ask_over_http(of, chosen, crawl, jobs)
        _show(asked, misses=misses)
        for file in save_report(asked, build):
            click.echo(f"wrote {file}")
        is_whole = asked.how == OVER_HTTP and len(asked.graded) == len(of.questions)
        if is_whole:
            _compare(asked.name, asked.numbers, allowed, pin=pin)
        elif pin:
            raise click.ClickException("Only the whole set, asked over HTTP, is pinned.")
        elif published and not _is_crawled_alone(asked):
            raise click.ClickException(
                "Only the whole set, asked over HTTP, or questions asked by crawling alone are published."
            )
        if published:
            publish(asked, datetime.now(UTC).date())
    except WellreadError as error:
        raise click.ClickException(str(error)) from error


def _ask_quickly(of: QuestionSet, chosen: Sequence[Question], cache: Path | None) -> Asked:
    graded = grade_all(ask_by_default(of, chosen, cache), of)
    return Asked(name=of.name, how="in one process", graded=graded)


def _ask_over_http(of: QuestionSet, chosen: Sequence[Question], crawl: int, jobs: int) -> Asked:
    answerable = [question for question in of.questions if question.gold]
    with served(of) as addresses:
        replies = ask_over_http(of, chosen, addresses, jobs=jobs, tell=_tell) if chosen else []
        crawled = ask_by_crawling(of, sample(answerable, crawl), addresses, tell=_tell)
    return Asked(name=of.name, how=OVER_HTTP, graded=grade_all(replies, of), crawled=grade_all(crawled, of))


def _ask_with_model(
    of: QuestionSet, chosen: Sequence[Question], model: str, build: Path, *, misses: bool, published: bool
) -> dict[str, float | None]:
    """Ask with a model and without; print and write what differs. Return the figures if every reply was there."""
    compared, missing = ask_with_model(of, chosen, model, build, _tell)
    what = "own" if model.startswith("http") else model
    for graded, how in ((compared.with_model, f"with-{what}"), (compared.without, "without")):
        save_report(Asked(name=f"{of.name}-{how}", how=OVER_HTTP, graded=graded), build)
    parts = {name: figures(part) for name, part in compared.parts.items()}
    text = table({figure: {name: part.get(figure) for name, part in parts.items()} for figure in parts["all"]})
    lost = " ".join(lost_by_model(compared))
    shown = "\n\n".join(filter(None, [text, missing, f"Answered without a model alone: {lost}" if lost else ""]))
    click.echo(f"{of.name}, over HTTP, with {model}\n\n{shown}\n")
    _show_misses(compared.with_model if misses else ())
    (build / f"model-{of.name}.json").write_text(json.dumps(rounded(parts), indent=1) + "\n", "utf-8")
    if published:
        today = datetime.now(UTC).date().isoformat()
        publish_text(f"{of.name}, {what}", f"On {today}, over HTTP.\n\n{text}\n")
    return (
        {} if missing or len(chosen) < len(open_question_set(of.name).questions) else flat({"replayed": parts["all"]})
    )


def _is_crawled_alone(asked: Asked) -> bool:
    return bool(asked.crawled) and not asked.graded


def _check(of: QuestionSet) -> None:
    found = list(faults(of))
    if found:
        raise click.ClickException("\n".join(found))
    click.echo(f"{len(of.questions)} questions hold.")


def _show(asked: Asked, *, misses: bool) -> None:
    click.echo(f"{asked.name}, {asked.how}\n\n{tables(asked)}\n")
    _show_misses(asked.graded if misses else ())


def _show_misses(graded: Sequence[Graded]) -> None:
    for one in graded:
        if one.outcome != "right":
            click.echo(f"{one.question.id} [{one.question.kind}] {one.question.question}")
            given = f"{one.reply.answer} ({one.reply.confidence:.2f})" if one.outcome == "wrong" else one.reply.withheld
            click.echo(f"  {one.failure}: {given or '–'}\n  gold: {' | '.join(one.question.gold) or 'none'}\n")


def _compare(name: str, figures: Mapping[str, float | None], allowed: Sequence[str], *, pin: bool) -> None:
    """Fail where a figure is worse than its floor; else pin the floors if that is wanted."""
    floors = read_floors(FLOORS)
    of_set = {name: floors.get(name, {})}
    numbers = {name: figures}
    # a figure that this run did not measure, as those by crawling, is not compared
    held = {name: {figure: floor for figure, floor in of_set[name].items() if figure in figures}}
    regressions = find_regressions(numbers, held)
    for regression in regressions:
        click.echo(f"{'allowed' if regression.name in allowed else 'WORSE'}  {regression}")
    if failing := regressions_not_allowed(regressions, allowed, of_set):
        raise click.ClickException(f"{len(failing)} of {len(held[name])} figures are below their floors.")
    if pin:
        pinned = raise_floors(numbers, held, allowed)
        write_floors(floors | {name: of_set[name] | pinned.get(name, {})}, FLOORS)
        click.echo(f"pinned {FLOORS.name}")
    click.echo("No figure is below its floor.")


def _tell(line: str) -> None:
    click.echo(line, err=True)


if __name__ == "__main__":
    main(prog_name="python -m evals.asked")
