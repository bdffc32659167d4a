"""Which steps were begun again, and after which fault: the database itself notes each change of a question's lease."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import text

from benchmarks.faults.strike import Struck
from domain import Status
from store.sql.database import Database
from store.sql.leases import LEASE_S

#: of a fault, until it shows: a lease is renewed this often, and a stop lasts this long
SHOWS_WITHIN_S = LEASE_S / 4 + 2.0
#: which worker does the step of a status
WORKERS = {Status.ASKED: "answer", Status.RETRYING: "answer", Status.SEEKING: "crawl", Status.REQUERYING: "answer"}
#: the faults that any step may feel
EVERYWHERE = ("kill -9 up", "kill -9 valkey", "stop valkey", "empty the broker", "restart PostgreSQL", "fill the disk")
UNKNOWN = "no fault known"

_TABLE = "CREATE TABLE attempts (question text, at double precision, kind text, status text, error text)"
_ADD = """INSERT INTO attempts (question, at, kind, status, error) VALUES (NEW.id, {now},
  CASE WHEN NEW.status <> OLD.status THEN 'moved'
       WHEN NEW.lease_by IS NULL AND NEW.attempts < OLD.attempts THEN 'given back'
       WHEN NEW.lease_by IS NULL THEN 'failed'
       WHEN NEW.lease_by IS DISTINCT FROM OLD.lease_by THEN 'begun'
       ELSE 'renewed' END, OLD.status, NEW.error);"""
_ON = """CREATE TRIGGER attempts AFTER UPDATE ON questions FOR EACH ROW
  WHEN (NEW.status <> OLD.status OR NEW.lease_until IS DISTINCT FROM OLD.lease_until)"""
_ADD_SQLITE = _ADD.format(now="(julianday('now') - 2440587.5) * 86400.0")
_ADD_POSTGRES = _ADD.format(now="extract(epoch FROM clock_timestamp())")
_SQLITE = (_TABLE, f"{_ON} BEGIN {_ADD_SQLITE} END")
_POSTGRES = (
    _TABLE,
    f"""CREATE FUNCTION note_attempt() RETURNS trigger AS $$
      BEGIN {_ADD_POSTGRES} RETURN NULL; END $$ LANGUAGE plpgsql""",
    f"{_ON} EXECUTE FUNCTION note_attempt()",
)


@dataclass(frozen=True, kw_only=True)
class Event:
    """A change of a question's lease or status."""

    question: str
    at: float  #: seconds since 1970
    kind: str  #: begun, renewed, moved, failed or given back
    status: str  #: before
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """A step that was begun and moved its question nowhere, so that it was begun again."""

    status: str
    ended: str  #: its lease ran out, it failed, or it was given back
    seen_at: float  #: when: the last sign of life, where its lease ran out
    error: str | None = None


def watch(database: Database) -> None:
    """Have the database note each change from now on."""
    with database.write() as session:
        for statement in _SQLITE if database.url.startswith("sqlite") else _POSTGRES:
            session.execute(text(statement))


def read(database: Database) -> list[Event]:
    """Return the changes, question by question, the first first."""
    with database.read() as session:
        rows = session.execute(text("SELECT question, at, kind, status, error FROM attempts ORDER BY question, at"))
        return [Event(**row._mapping) for row in rows]


def begun_again(events: Iterable[Event]) -> list[Repeated]:
    """Return the steps that were begun and came to nothing; the events are in the order of :func:`read`."""
    return [again for _, of_one in groupby(events, key=lambda event: event.question) for again in _of_one(of_one)]


def _of_one(events: Iterable[Event]) -> Iterator[Repeated]:
    seen_at: float | None = None  #: of the step that is at work
    for event in events:
        if seen_at is not None and event.kind == "begun":
            yield Repeated(status=event.status, ended="lease ran out", seen_at=seen_at)
        if seen_at is not None and event.kind in ("failed", "given back"):
            yield Repeated(status=event.status, ended=event.kind, seen_at=event.at, error=event.error)
        seen_at = event.at if event.kind in ("begun", "renewed") else None


def by_fault(again: Iterable[Repeated], struck: Sequence[Struck]) -> dict[str, int]:
    """Return how many steps were begun again after each fault, and how they had ended; the most first."""
    return dict(Counter(f"{fault_of(one, struck)} ({one.ended})" for one in again).most_common())


def fault_of(again: Repeated, struck: Sequence[Struck]) -> str:
    """Return the fault that ended a step: of those about then the first that strikes its worker, or else any step."""
    ran_out = again.ended == "lease ran out"
    since, until = again.seen_at - (0.5 if ran_out else SHOWS_WITHIN_S), again.seen_at + SHOWS_WITHIN_S * ran_out
    about = [fault.name for fault in struck if since <= fault.at <= until]
    worker = WORKERS[Status(again.status)]
    own = [name for name in about if name.endswith(f" {worker}") and name != f"stop {worker}"]
    return next((name for name in (*own, *about) if name in (*own, *EVERYWHERE)), UNKNOWN)
