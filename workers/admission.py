"""Decides whether one more question may be opened: by how many are open, and by the room in Redis and on the disk.

Without a limit a question would wait longer and longer once more are asked than are answered; so its asker is told
at once, and when to come again. Whoever asks what is answered already is never one too many.
"""

from __future__ import annotations

import math
import shutil
from typing import TYPE_CHECKING

from domain.errors import WellreadError
from store.overview import open_questions

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from workers.services import Services

#: of Redis' memory; the rest is for the messages of the questions that are open
MOST_MEMORY = 0.9
#: free on the disk of the data folder; less is left to the questions that are open
LEAST_DISK_BYTES = 100_000_000
#: for so much of the limit to become free whoever is refused waits
FREED = 0.1
SHORTEST_WAIT_S, LONGEST_WAIT_S = 1, 60


class TooManyOpen(WellreadError):
    """As many questions are open as may be: of all, or of one key."""

    def __init__(self, message: str, *, most: int, share: float = 1.0, retry_after_s: int = LONGEST_WAIT_S) -> None:
        super().__init__(message)
        self.most = most
        self.share = share  #: of all open questions those that count here
        self.retry_after_s = retry_after_s


class NoRoom(WellreadError):
    """Redis or the disk is full."""

    retry_after_s = 30


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


def check_limits(session: Session, services: Services, owner: str | None) -> None:
    """Raise :class:`TooManyOpen` where more questions are open than may be, with the one that this session adds."""
    most, share = services.settings.max_open_questions, services.settings.max_open_per_caller
    number = open_questions.count_open(session, most)
    if number > most:
        raise TooManyOpen(f"{most:,} questions are open, as many as may be at a time", most=most)
    if owner is None or number <= share:
        return
    own = open_questions.count_open_of(session, owner, most)
    if own > share:
        raise TooManyOpen(
            f"{share:,} questions of this key are open, as many as one may have", most=share, share=own / number
        )


def with_time(services: Services, refused: TooManyOpen) -> TooManyOpen:
    """Return the refusal with the time until there is room, by how fast questions end now."""
    now = services.now()
    with services.database.read() as session:
        rate = open_questions.ended_per_s(session, now, services.settings.max_open_questions) * refused.share
    seconds = math.ceil(FREED * refused.most / rate) if rate else LONGEST_WAIT_S
    seconds = max(SHORTEST_WAIT_S, min(LONGEST_WAIT_S, seconds))
    message = f"{refused}: ask again in {seconds} s."
    return TooManyOpen(message, most=refused.most, share=refused.share, retry_after_s=seconds)
