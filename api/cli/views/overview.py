"""Formats for the terminal what the operator's commands show: overview, doctor's findings, dead letters, sources."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from api.cli.views.question import Style
from api.cli.views.sites import schedule_text, site_read_lines
from api.cli.views.width import clean, counted, cut, when, wrap

if TYPE_CHECKING:
    from api.operations.overview import Overview
    from api.operations.room import Diagnosis
    from store.sql.tables import QuestionRow
    from wellread import Source, Watch

_COLOURS = {"ok": "green", "note": "yellow", "wrong": "red"}


def overview_lines(seen: "Overview", style: Style) -> list[str]:
    """Return what runs, what is stored, what waits and the latest questions."""
    return [
        *_running_lines(seen),
        "",
        f"Stored: {counted(seen.pages, 'page')}, {counted(seen.passages, 'passage')}, "
        f"{counted(seen.sources, 'source')}",
        *([f"Due for another check: {counted(seen.due, 'page')}"] if seen.due else []),
        *(line for site in seen.whole_sites for line in site_read_lines(site, style)),
        *_engine_lines(seen, style),
        *_queue_lines(seen),
        *_question_lines(seen, style),
    ]


def check_lines(check: "Diagnosis", style: Style) -> list[str]:
    """Return one finding, and what to do about it."""
    level = style.paint(f"{check.level:<5}", fg=_COLOURS[check.level])
    text = wrap(f"{check.name}: {check.finding}", style.width - 7)
    lines = [f"{level}  {text[0]}", *(f"       {line}" for line in text[1:])]
    return lines + (wrap(check.fix, style.width, first="       → ", rest="         ") if check.fix else [])


def watch_lines(watches: "Sequence[Watch]", style: Style) -> list[str]:
    """Return the watched questions: each with its status, and when its answer last changed."""
    if not watches:
        return ["No watched questions: `wellread watch QUESTION` watches one."]
    lines: list[str] = []
    for watch in watches:
        changed = f"changed {when(watch.changed_at)}" if watch.changed_at else "not changed since"
        lines.append(f"{watch.question_id}  {watch.status}, {changed}")
        lines.append(cut(f"    {clean(watch.question)}", style.width))
    return [*lines, "", "`wellread watch stop ID` ends one."]


def dead_lines(questions: "Sequence[QuestionRow]", style: Style) -> list[str]:
    """Return the dead letters, and how to start one again."""
    if not questions:
        return ["No question has failed."]
    lines: list[str] = []
    for question in questions:
        lines.append(f"{question.id}  {when(question.updated_at)}")
        lines.append(cut(f"    {clean(question.text)}", style.width))
        lines += wrap(question.error or "no error was stored", style.width, first="    ", rest="    ")
    return [*lines, "", "`wellread replay ID` runs one again."]


def source_lines(sites: "Sequence[Source]") -> list[str]:
    """Return the sources with their settings."""
    if not sites:
        return ["No sources yet: `wellread source add URL` adds one."]
    return [" ".join((clean(site.url), *settings_of(site))) for site in sites]


def settings_of(site: "Source") -> list[str]:
    """Return what is set of a source."""
    told = [
        "own" if site.own else "",
        "ignores robots.txt" if site.ignore_robots else "",
        f"with {', '.join(site.access)}" if site.access else "",
        f"{site.min_delay_s:g} s between requests" if site.min_delay_s is not None else "",
        "this page only" if site.page_only else "",
        f"at most {counted(site.depth, 'link')} deep" if site.depth is not None else "",
        f"only {', '.join(map(clean, site.include))}" if site.include else "",
        f"without {', '.join(map(clean, site.exclude))}" if site.exclude else "",
        f"redirects to {clean(site.moved_to)}" if site.moved_to else "",
    ]
    return [*(f"({each})" for each in told if each), *schedule_text(site)]


def _running_lines(seen: "Overview") -> list[str]:
    if seen.address is None:
        return ["No stack runs on this data folder: `wellread up` starts one."]
    flower = f"    Flower: {seen.address.flower_url}" if seen.address.flower_url else ""
    return [f"Wellread runs: {seen.address.api_url} (process {seen.address.pid}){flower}"]


def _engine_lines(seen: "Overview", style: Style) -> list[str]:
    paused = [cut(f"  {name} is paused: {clean(why)}", style.width) for name, why in seen.engines.items() if why]
    return [f"Search engines: {', '.join(seen.engines) or 'none'}", *paused]


def _queue_lines(seen: "Overview") -> list[str]:
    if seen.queues is None:
        return [] if seen.address is None else ["", "Redis does not answer: `wellread doctor` says what to do."]
    rows = [f"  {queue.name:<8}{queue.workers:>8}{queue.waiting:>10}" for queue in seen.queues]
    return ["", f"  {'queue':<8}{'workers':>8}{'waiting':>10}", *rows]


def _question_lines(seen: "Overview", style: Style) -> list[str]:
    if not seen.latest:
        return ["", 'No questions yet: `wellread ask "…"`.']
    counts = ", ".join(f"{number:,} {status.lower()}" for status, number in sorted(seen.questions.items()))
    latest = [
        cut(f"  {asked.id}  {when(asked.created_at)}  {asked.status:<10}  {clean(asked.question)}", style.width)
        for asked in seen.latest
    ]
    return ["", f"Questions: {counts}. The latest:", *latest]
