"""`wellread demo`: the whole flow on one machine, without a key, a server or the internet, and a check that it held."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from api.cli import ask_flow
from api.cli.ask_flow import Asking
from api.cli.demo.alone import isolated_in, started_stack
from api.cli.demo.checks import Check, Finding, check
from api.cli.demo.site_server import SITE, SiteServer, serve
from api.cli.views import question as show
from api.cli.views.question import Style
from domain import Status
from wellread import Client, Event, Record
from workers.processes.stack import Stack
from workers.processes.supervise import wait_until

Write = Callable[..., None]

#: short, because the site is in this process; other sites get the default
DELAY_S = 0.2
WAIT_S = 120.0
#: a process that was killed is there until the kernel has taken it away
GONE_WITHIN_S = 10.0


@dataclass(frozen=True, kw_only=True)
class Script:
    """The questions of the demonstration."""

    question: str
    expected: str  #: part of the right answer
    paraphrase: str
    unanswered: str


def run(write: Write, style: Style) -> bool:
    """Show the flow, stop everything, and return whether every promise held."""
    script = _script()
    folder = Path(mkdtemp(prefix="wellread-demo-"))
    with serve() as site, isolated_in(folder):
        count = sum(1 for _ in SITE.rglob("*.html"))
        write(f"A small site is served at {site.origin}: {count} pages, its robots.txt forbids /drafts/.")
        with _started(write) as (stack, client):
            children = tuple(stack.pids().values())
            client.add_source(site.origin, own=True, min_delay_s=DELAY_S)
            write(f"The site is now a source, asked for a page every {DELAY_S:g} s at most (1 s is the default).")
            began = time.monotonic()
            findings = _ask_all(client, site, script, write, style)
            asked_s = time.monotonic() - began
            write(*_heading("Side by side", style), *show.side_by_side(*_table(findings), style))
            cited = {citation.page_id for finding in findings for citation in finding.record.citations}
            checked = check(findings, script.expected, pages={page: client.page(page).text for page in cited})
        checked += [_robots_obeyed(site), _nothing_left(children)]
    write(*_heading("Checked", style), *(_check_line(result, style) for result in checked), "")
    held = all(result.holds for result in checked)
    if held:
        shutil.rmtree(folder)
    end = "The demonstration's data is removed." if held else f"The logs are in {folder / 'data' / 'logs'}."
    write(f"Asking took {asked_s:.1f} s. All is stopped. {end}")
    return held


def _ask_all(client: Client, site: SiteServer, script: Script, write: Write, style: Style) -> list[Finding]:
    steps = (
        ("1. A question, and an empty knowledge base", script.question),
        ("2. The same in other words", script.paraphrase),
        ("3. A question that no page answers", script.unanswered),
    )
    return [_ask(client, site, title, question, write, style) for title, question in steps]


def _ask(client: Client, site: SiteServer, title: str, question: str, write: Write, style: Style) -> Finding:
    write(*_heading(title, style), f"> {question}", "")
    fetched_before = len(site.paths)
    received: list[Event] = []

    def report(event: Event, at_s: float) -> None:
        received.append(event)
        write(*show.event_lines(event, at_s, style))

    record = ask_flow.ask(client, Asking(question=question, wait_s=WAIT_S), report)
    write("", *show.record_lines(record, style))
    return Finding(record=record, fetched=tuple(site.paths[fetched_before:]), events=tuple(received))


def _table(findings: Sequence[Finding]) -> tuple[list[str], list[tuple[str, list[str]]]]:
    records = [finding.record for finding in findings]
    rows = [
        ("phases", [" → ".join(_phases(record)) for record in records]),
        ("pages read", [str(len(record.live_urls)) for record in records]),
        ("seconds", [f"{record.seconds:.1f}" for record in records]),
        ("outcome", [record.status.lower() for record in records]),
        ("answer", [_in_short(record) for record in records]),
        ("citations", ["\n".join(f"[{c.marker}] {c.title}" for c in record.citations) or "none" for record in records]),
    ]
    return [record.question for record in records], rows


def _in_short(record: Record) -> str:
    """Return the words asked for, or the answer where it has none, or that it is not known."""
    if record.status is Status.ANSWERED:
        return record.short_answer or record.answer or ""
    return (record.answer or "").partition(". ")[0]


def _phases(record: Record) -> list[str]:
    """Return the phases the question went through, in order, with repeats."""
    numbers = {"retrieve": "1", "retry": "2", "seek": "3", "requery": "4"}
    return [numbers[timing.step] for timing in record.timings if timing.step in numbers]


@contextmanager
def _started(write: Write) -> Iterator[tuple[Stack, Client]]:
    write("Starting Valkey, the workers, beat and the API …")
    began = time.monotonic()
    with started_stack() as (stack, client):
        write(f"Up after {time.monotonic() - began:.1f} s, with an empty knowledge base.")
        yield stack, client
        write("", "Stopping …")


def _robots_obeyed(site: SiteServer) -> Check:
    forbidden = [path for path in site.paths if path.startswith("/drafts")]
    return Check(name="no path was asked for that robots.txt forbids", holds=not forbidden)


def _nothing_left(children: Sequence[int]) -> Check:
    """Check that no process group of the children has a member left."""
    wait_until(lambda: not any(map(_group_lives, children)), within_s=GONE_WITHIN_S)
    left = [pid for pid in children if _group_lives(pid)]
    return Check(name="no process is left", holds=not left, detail=f"left: {left}" if left else "")


def _group_lives(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    return True


def _script() -> Script:
    script = json.loads((Path(__file__).parent / "questions.json").read_text("utf-8"))
    return Script(**{name: script[name] for name in Script.__dataclass_fields__})


def _heading(text: str, style: Style) -> list[str]:
    return ["", style.paint(text, bold=True), "═" * min(style.width, len(text))]


def _check_line(check: Check, style: Style) -> str:
    mark = style.paint("held  ", fg="green") if check.holds else style.paint("FAILED", fg="red", bold=True)
    return f"{mark}  {check.name}" + (f" ({check.detail})" if check.detail else "")
