"""The kinds of events that are published while a question moves."""

from __future__ import annotations

from enum import StrEnum


class EventKind(StrEnum):
    """The kind of an event; a reader must leave out the kinds that it does not know."""

    STATUS = "status"  #: the question has another status
    PAGE = "page"  #: a candidate has an outcome
    WRITING = "writing"  #: the answer as far as it is written
    PROVISIONAL = "provisional"  #: the best answer so far; reading goes on
    FINAL = "final"  #: the question has ended
    CHANGED = "changed"  #: a watched question has another answer
    UNWATCHED = "unwatched"  #: the question is no longer watched
    STOPPED = "stopped"  #: the last event of a watch's stream
