"""Decides whether one more question may be opened: by how many are open, and by the room in Redis and on the disk.

Without a limit a question would wait longer and longer once more are asked than are answered; so its asker is refused
at once, with the time of a turn: whoever comes then goes before those who come for the first time. Whoever asks what
is answered already is never one too many.
"""

import math
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore

from sqlalchemy.orm import Session

from domain.errors import WellreadError
from store import activity
from store.ephemeral.turns import LONGEST_S
from workers.services import Services

#: of Redis' memory; the rest is for the messages of the questions that are open
MOST_MEMORY = 0.9
#: free on the disk of the data folder; less is left to the questions that are open
LEAST_DISK_BYTES = 100_000_000
#: of the limit; so much is kept at most for those who were refused and wait for their turn
FOR_TURNS = 0.1
#: the queue of those who are refused because as many questions are open as may be of all
OF_ALL = ""


class TooManyOpen(WellreadError):
    """As many questions are open as may be: of all, or of one key."""

    def __init__(
        self, message: str, *, most: int, queue: str = OF_ALL, share: float = 1.0, retry_after_s: int = LONGEST_S
    ) -> None:
        super().__init__(message)
        self.most = most
        self.queue = queue  #: in which its asker waits for a turn
        self.share = share  #: of all open questions those that count here
        self.retry_after_s = retry_after_s


class NoRoom(WellreadError):
    """Redis or the disk is full."""

    retry_after_s = 30


class Busy(NoRoom):
    """So many requests wait already that this one would be late."""

    retry_after_s = 5


@contextmanager
def admitted(places: BoundedSemaphore, full: str) -> Iterator[None]:
    """Take one of a number of places while the block runs; raises :class:`Busy` where all are taken."""
    if not places.acquire(blocking=False):
        raise Busy(full)
    try:
        yield
    finally:
        places.release()


def check_room(services: Services) -> None:
    """Raise :class:`NoRoom` where a question could not be worked on."""
    memory = services.broker_memory.use()
    if memory.share >= MOST_MEMORY:
        raise NoRoom(f"Redis is full: {memory.used:,} of {memory.limit:,} bytes are used.")
    try:
        free = shutil.disk_usage(services.settings.data_dir).free
    except OSError:  # the database's own error says more
        return
    if free < LEAST_DISK_BYTES:
        raise NoRoom(f"The disk of {services.settings.data_dir} is full: {free:,} bytes are free.")


@dataclass(frozen=True, kw_only=True)
class Ahead:
    """How many go before an asker, since they were refused and wait for their turn: of all, and of the same key."""

    of_all: int = 0
    of_key: int = 0


def ahead(services: Services, owner: str | None, caller: str) -> Ahead:
    """Return how many go before this asker."""
    if not services.turns.given_lately:
        return Ahead()
    now_s = services.now().timestamp()
    of_key = services.turns.before(owner, caller, now_s) if owner else 0
    return Ahead(of_all=services.turns.before(OF_ALL, caller, now_s), of_key=of_key)


def check_limits(
    session: Session,
    services: Services,
    owner: str | None,
    before: Ahead,
    limits: Mapping[str, float],
    *,
    more: int = 0,
) -> None:
    """Raise :class:`TooManyOpen` where more questions are open than may be, or what room there is is for others.

    Counted are those that the session sees, and so many more. ``limits`` are those of the owner's key.
    """
    most = services.settings.max_open_questions
    own_limit = limits.get("open_questions")
    share = services.settings.max_open_per_caller if own_limit is None else int(own_limit)
    number = activity.count_open(session, most) + more
    if number + _kept(before.of_all, most) > most:
        raise TooManyOpen(f"{most:,} questions are open, as many as may be at a time", most=most)
    if owner is None or (own_limit is None and number <= share * (1 - FOR_TURNS)):
        return
    own = activity.count_open_of(session, owner, most) + more
    if own + _kept(before.of_key, share) > share:
        raise TooManyOpen(
            f"{share:,} questions of this key are open, as many as one may have",
            most=share,
            queue=owner,
            share=own / number,
        )


def with_time(services: Services, refused: TooManyOpen, caller: str) -> TooManyOpen:
    """Return the refusal with the time of the asker's turn, by how fast questions end now."""
    now = services.now()
    per_s = services.read(activity.ended_per_s, now, services.settings.max_open_questions) * refused.share
    kept = FOR_TURNS * refused.most
    seconds = services.turns.give(refused.queue, caller, now.timestamp(), per_s, kept=kept)
    return TooManyOpen(f"{refused}: ask again in {seconds} s.", most=refused.most, retry_after_s=seconds)


def _kept(number: int, most: int) -> int:
    """Return how much room is kept for so many who wait for their turn."""
    return min(number, math.ceil(FOR_TURNS * most))
