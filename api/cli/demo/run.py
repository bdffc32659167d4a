"""`wellread demo`: the whole flow on one machine, without a key, a server or the internet, and a check that it held."""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from api.cli import answer as show
from api.cli import ask_flow
from api.cli.ask_flow import Asking
from api.cli.connect import quiet_logs
from api.cli.demo.site_server import SITE, SiteServer, serve
from api.cli.output import notify
from api.cli.width import Style
from domain import EventKind, Status
from wellread import Client, Event, Record
from workers.processes.slow_start import SlowStart
from workers.processes.stack import Stack
from workers.processes.supervise import wait_until
from workers.settings import load

Write = Callable[..., None]

#: short, because the site is in this process; other sites get the default
DELAY_S = 0.2
WAIT_S = 300.0
#: a process that was killed is there until the kernel has taken it away
GONE_WITHIN_S = 10.0
READY_WITHIN_S = 60.0


#: the questions of the demonstration, and `expected`, a part of the right answer
SCRIPT: Mapping[str, Any] = json.loads((Path(__file__).parent / "questions.json").read_text("utf-8"))


def run(write: Write, style: Style) -> bool:
    """Show the flow, stop everything, and return whether every promise held."""
    steps = (
        ("1. A question, and an empty knowledge base", SCRIPT["question"]),
        ("2. The same in other words", SCRIPT["paraphrase"]),
        ("3. A question that no page answers", SCRIPT["unanswered"]),
    )
    folder = Path(mkdtemp(prefix="wellread-demo-"))
    with serve() as site, isolated_in(folder):
        count = sum(1 for _ in SITE.rglob("*.html"))
        write(f"A small site is served at {site.origin}: {count} pages, its robots.txt forbids /drafts/.")
        with _started(write) as (stack, client):
            children = tuple(stack.pids().values())
            client.add_source(site.origin, own=True, min_delay_s=DELAY_S)
            write(f"The site is now a source, asked for a page every {DELAY_S:g} s at most (1 s is the default).")
            began = time.monotonic()
            results = [_ask(client, site, title, question, write, style) for title, question in steps]
            asked_s = time.monotonic() - began
            write(*_heading("Side by side", style), *show.side_by_side(*_table(results), style))
            cited = {citation.page_id for result in results for citation in result.record.citations}
            checked = check(results, SCRIPT["expected"], pages={page: client.page(page).text for page in cited})
        forbidden = [path for path in site.paths if path.startswith("/drafts")]
        checked.append(Check(name="no path was asked for that robots.txt forbids", holds=not forbidden))
        wait_until(lambda: not any(map(_group_lives, children)), within_s=GONE_WITHIN_S)
        left = [pid for pid in children if _group_lives(pid)]
        checked.append(Check(name="no process is left", holds=not left, detail=f"left: {left}" if left else ""))
    write(*_heading("Checked", style))
    for each in checked:
        mark = style.paint("held  ", fg="green") if each.holds else style.paint("FAILED", fg="red", bold=True)
        write(f"{mark}  {each.name}" + (f" ({each.detail})" if each.detail else ""))
    write("")
    held = all(each.holds for each in checked)
    if held:
        shutil.rmtree(folder)
    end = "The demonstration's data is removed." if held else f"The logs are in {folder / 'data' / 'logs'}."
    write(f"Asking took {asked_s:.1f} s. All is stopped. {end}")
    return held


def _ask(client: Client, site: SiteServer, title: str, question: str, write: Write, style: Style) -> "Result":
    write(*_heading(title, style), f"> {question}", "")
    fetched_before = len(site.paths)
    received: list[Event] = []

    def report(event: Event, at_s: float) -> None:
        received.append(event)
        write(*show.event_lines(event, at_s, style))

    record = ask_flow.ask(client, Asking(question=question, wait_s=WAIT_S), report)
    write("", *show.record_lines(record, style))
    return Result(record=record, fetched=tuple(site.paths[fetched_before:]), events=tuple(received))


def _table(results: "Sequence[Result]") -> tuple[list[str], list[tuple[str, list[str]]]]:
    records = [result.record for result in results]
    numbers = {"retrieve": "1", "retry": "2", "seek": "3", "requery": "4"}  # of the phases, which may repeat
    phases = [[numbers[timing.step] for timing in record.timings if timing.step in numbers] for record in records]
    answers = [
        record.short_answer or record.answer or ""
        if record.status is Status.ANSWERED
        else (record.answer or "").partition(". ")[0]
        for record in records
    ]
    rows = [
        ("phases", [" → ".join(each) for each in phases]),
        ("pages read", [str(len(record.live_urls)) for record in records]),
        ("seconds", [f"{record.seconds:.1f}" for record in records]),
        ("outcome", [record.status.lower() for record in records]),
        ("answer", answers),
        ("citations", ["\n".join(f"[{c.marker}] {c.title}" for c in record.citations) or "none" for record in records]),
    ]
    return [record.question for record in records], rows


@contextmanager
def _started(write: Write) -> Iterator[tuple[Stack, Client]]:
    """Start the stack that the environment describes; yield it with a client once it can answer questions."""
    write("Starting Valkey, the workers, beat and the API …")
    began = time.monotonic()
    with (
        SlowStart(notify) as start,
        Stack(load(api_port=0), flower=False, on_step=start.step) as stack,
        Client(stack.address.api_url) as client,
    ):
        start.step("the workers")
        wait_until(client.is_ready, within_s=READY_WITHIN_S)
        start.end()
        write(f"Up after {time.monotonic() - began:.1f} s, with an empty knowledge base.")
        yield stack, client
        write("", "Stopping …")


def _group_lives(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    return True


def _heading(text: str, style: Style) -> list[str]:
    return ["", style.paint(text, bold=True), "═" * min(style.width, len(text))]


@contextmanager
def isolated_in(folder: Path) -> Iterator[None]:
    """Work in this folder, without the user's settings; the user's data and keys are not touched."""
    environment = dict(os.environ)
    for name in environment:
        if name.startswith(("WELLREAD_", "ANTHROPIC_")):
            del os.environ[name]
    os.environ["WELLREAD_DATA_DIR"] = str(folder / "data")
    os.environ["WELLREAD_WIKIPEDIA"] = "false"
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[3])  # the children run this code, installed or not
    quiet_logs()
    try:
        with chdir(folder):  # it has no .env file
            yield
    finally:
        os.environ.clear()
        os.environ.update(environment)


@dataclass(frozen=True, kw_only=True)
class Result:
    """The outcome of one question."""

    record: Record
    fetched: tuple[str, ...]  #: the paths requested from the site meanwhile
    events: tuple[Event, ...]


@dataclass(frozen=True, kw_only=True)
class Check:
    """A promise, and whether it held."""

    name: str
    holds: bool
    detail: str = ""


def check(results: Sequence[Result], expected: str, *, pages: Mapping[int, str]) -> list[Check]:
    """Compare the three results with the promise; ``pages`` are the cited pages' texts by id."""
    first, second, third = results
    kinds = [event.kind for event in first.events]
    was_provisional = EventKind.PROVISIONAL in kinds and EventKind.PAGE in kinds[kinds.index(EventKind.PROVISIONAL) :]
    citations = [citation for result in results for citation in result.record.citations]
    wrong = [each.url for each in citations if pages.get(each.page_id, "")[each.start : each.end] != each.quote]
    return [
        Check(name="question 1 had a provisional answer while pages were read", holds=was_provisional),
        _answers("question 1", first, expected),
        Check(name="question 1 made Wellread read the site", holds=bool(first.record.live_urls and first.fetched)),
        _answers("question 2", second, expected),
        Check(name="question 2 read nothing", holds=not (second.record.online_search_triggered or second.fetched)),
        Check(
            name="question 3 is not known, and says what was read",
            holds=third.record.status is Status.ABSTAINED and bool(third.record.live_urls),
            detail="" if third.record.status is Status.ABSTAINED else f"it is {third.record.status}",
        ),
        Check(
            name=f"all {len(citations)} quotes are in the stored pages word for word",
            holds=not wrong and bool(citations),
            detail=", ".join(wrong),
        ),
    ]


def _answers(name: str, result: Result, expected: str) -> Check:
    record, answer = result.record, " ".join((result.record.answer or "no answer").split())
    right = record.status is Status.ANSWERED and expected in answer
    return Check(
        name=f"{name} is answered: {expected}",
        holds=right and bool(record.citations),
        detail="" if right else f"{record.status}: {answer[:200]}",
    )
