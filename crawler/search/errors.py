"""The errors of engines; each kind says how long its engine is then not asked (its cooldown)."""

from typing import ClassVar

from domain.errors import WellreadError

_HOUR_S = 3600.0
_DAY_S = 24 * _HOUR_S


def meaning_of(kind: str) -> str:
    """Return what an error of this name means, in a sentence without its full stop."""
    error = globals().get(kind, EngineError)
    return " ".join(str(error.__doc__).split()).rstrip(".")


class EngineError(WellreadError):
    """An engine's answer cannot be understood; the message says which engine and what to do."""

    cooldown_s: ClassVar[float] = 60.0  #: after the first failure; doubled with each that follows
    max_cooldown_s: ClassVar[float] = _HOUR_S
    needs_operator: ClassVar[bool] = False  #: only the operator can solve it

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s  #: as the engine asked, where it did


class QueryRefused(EngineError):
    """The engine does not accept this query; it has no cooldown, because it accepts others."""

    cooldown_s = 0.0


class OverBudget(EngineError):
    """The search could cost more than a question may spend: nothing was sent."""

    cooldown_s = 0.0
    needs_operator = True


class EngineDown(EngineError):
    """The engine did not answer, not in time, or with an error of its own (5xx)."""

    cooldown_s = 15.0
    max_cooldown_s = 15 * 60.0


class EngineUnreachable(EngineDown):
    """It could not be reached: this machine's network, name service or proxy may be why, or the engine's address."""


class RateLimited(EngineError):
    """The engine wants fewer requests (429)."""


class TakenForRobot(EngineError):
    """The engine answers with a captcha or a block page: it takes us for a robot."""

    cooldown_s = 600.0
    max_cooldown_s = _DAY_S


class EngineForbidden(TakenForRobot):
    """An engine without a key forbids the request (401, 403)."""


class EngineKeyRejected(EngineError):
    """The engine does not accept the key (401, 403): only another key helps."""

    cooldown_s = _HOUR_S
    max_cooldown_s = _DAY_S
    needs_operator = True


class OutOfCredit(EngineError):
    """The account has no searches left (402, 432): only new credit or the next month helps."""

    cooldown_s = _HOUR_S
    max_cooldown_s = _DAY_S
    needs_operator = True
