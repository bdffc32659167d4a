"""Why an engine gave nothing; each error knows how long its engine is then best left alone."""

from __future__ import annotations

from typing import ClassVar

from domain.errors import WellreadError

_HOUR_S = 3600.0
_DAY_S = 24 * _HOUR_S


class EngineError(WellreadError):
    """An engine answered what cannot be understood; the message says which engine and what to do."""

    rest_s: ClassVar[float] = 60.0  #: pause after the first such failure; doubled with each one that follows
    longest_rest_s: ClassVar[float] = _HOUR_S
    is_the_operators: ClassVar[bool] = False  #: whether only the operator can mend it

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s  #: what the engine asked to wait, where it said so


class QueryRefused(EngineError):
    """The engine does not take this query; it takes others, so it is not left alone."""

    rest_s = 0.0


class NotAsked(EngineError):
    """Asking could cost more than a question may spend: nothing was sent."""

    rest_s = 0.0
    is_the_operators = True


class EngineDown(EngineError):
    """No answer in time, none at all, or an error of the engine's own (5xx)."""

    rest_s = 15.0
    longest_rest_s = 15 * 60.0


class AskedTooOften(EngineError):
    """The engine wants fewer requests (429)."""

    rest_s = 60.0


class TurnedAway(EngineError):
    """The engine shows a captcha or a block page: it takes us for a robot."""

    rest_s = 600.0
    longest_rest_s = _DAY_S


class EngineForbidden(TurnedAway):
    """An engine that wants no key forbids the request (401, 403)."""


class EngineKeyRejected(EngineError):
    """The engine does not accept the key (401, 403): only another key helps."""

    rest_s = _HOUR_S
    longest_rest_s = _DAY_S
    is_the_operators = True


class OutOfCredit(EngineError):
    """The account has no searches left (402, 432): only credit or the next month helps."""

    rest_s = _HOUR_S
    longest_rest_s = _DAY_S
    is_the_operators = True
