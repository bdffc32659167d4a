"""What was learned reaches the processes that run, and a reset wins over a learner that began before it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from domain.outcome import Judged, Learned, Recalibration
from store.learned import RecalibrationsInUse, all_learned, save_learned
from store.sql.database import Database

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LEARNED = Learned(
    embedder="e", lang="en", calibration="shown", intercept=-0.5, slope=1.2, said="in use", right=60, wrong=40,
    held_out=30, loss_before=0.6, loss_after=0.5, since=None, learned_at=NOW,
)  # fmt: skip
KEY = Judged("e", "en", "shown")


def save(database: Database, learned: Learned, *, resets: bool = False) -> None:
    with database.write() as session:
        save_learned(session, learned, resets=resets)


def stored(database: Database) -> list[Learned]:
    with database.read() as session:
        return all_learned(session)


def test_what_is_learned_anew_takes_the_place_of_the_old(database: Database) -> None:
    german, again = replace(LEARNED, lang="de", calibration="compared"), replace(LEARNED, slope=1.1)
    for learned in (LEARNED, german, again):
        save(database, learned)
    assert stored(database) == [german, again]


def test_reset_is_not_undone_by_a_learner_that_began_before_it(database: Database) -> None:
    save(database, LEARNED)
    nothing = replace(LEARNED, intercept=0.0, slope=1.0, said="reset", since=NOW)
    save(database, nothing, resets=True)
    save(database, replace(LEARNED, slope=1.1))
    assert stored(database) == [nothing]
    later = replace(LEARNED, slope=1.1, since=NOW, learned_at=NOW + timedelta(days=1))
    save(database, later)
    assert stored(database) == [later]


def test_what_is_learned_is_noticed_without_a_restart(database: Database) -> None:
    here = RecalibrationsInUse(database, every_s=0.0)
    assert (here.now(), here.name()) == ({}, "")
    save(database, LEARNED)
    save(database, replace(LEARNED, lang="de", intercept=0.0, slope=1.0, said="too few"))
    assert here.now() == {KEY: Recalibration(intercept=-0.5, slope=1.2)}
    named = here.name()
    save(database, replace(LEARNED, slope=1.1))
    assert here.name() not in ("", named)


def test_database_is_not_asked_for_every_question(database: Database) -> None:
    seconds = 0.0
    here = RecalibrationsInUse(database, every_s=2.0, clock=lambda: seconds)
    assert here.name() == ""
    save(database, LEARNED)
    assert here.name() == ""
    seconds = 2.0
    assert here.name() != ""
