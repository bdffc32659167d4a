"""Say how long a call of a model may take, and when it may go: pauses of the service, and the budget of a minute.

The rules are functions of a plain state, so that one process can keep it for itself and all processes can share it.
"""

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

#: between any two calls to a model, so that a burst is refused once and not thirty times
BURST_GAP_S = 0.02
#: between two calls after a refusal, doubled by each further one; it halves every ``HALVED_EVERY_S`` without any
FIRST_GAP_S, LONGEST_GAP_S, HALVED_EVERY_S = 0.25, 4.0, 10.0
#: a pause that the service gave no length for, doubled if the first call after one is refused again
FIRST_PAUSE_S, LONGEST_OWN_PAUSE_S = 1.0, 60.0
#: of any pause: then one call finds out whether the service has recovered
LONGEST_PAUSE_S = 600.0
#: the share of a minute's budget that may be used at once
BURST_SHARE = 0.1
_MINUTE_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Times:
    """How long a call may take, in seconds."""

    first_token_s: float = 30.0  #: until the reply begins, and without a byte once it did
    whole_s: float = 120.0  #: until its end, with waits and retries


@dataclass(frozen=True, kw_only=True)
class RateLimit:
    """What the operator allows a minute; 0: no limit."""

    requests: int = 0
    tokens: int = 0


@dataclass(frozen=True, kw_only=True)
class ModelPace:
    """How fast one model may be asked; times are Unix time in seconds."""

    paused_until: float = 0.0
    refused_at: float = 0.0
    pauses: int = 0  #: in a row
    went: int = 0  #: calls since the last pause began
    gap_s: float = 0.0  #: between two calls, when the pause ended
    free_at: float = 0.0  #: when the next call may go
    turn_at: float = 0.0  #: the last turn that was given to a caller that must wait

    def gap_s_at(self, moment: float) -> float:
        """Return the seconds between two calls at a moment."""
        past_s = max(0.0, moment - self.paused_until)
        return max(BURST_GAP_S, self.gap_s * float(0.5 ** (past_s / HALVED_EVERY_S)))

    def refused(self, seconds: float | None, *, sent_at: float, now: float) -> "ModelPace":
        """Return the pace after a refusal; those of calls that were sent before the last one came count as one."""
        is_news, is_again = sent_at > self.refused_at, self.went <= 1  # again: the pause was too short, not the gap
        pauses = (self.pauses + 1 if is_again else 1) if is_news else self.pauses
        own_s = min(LONGEST_OWN_PAUSE_S, FIRST_PAUSE_S * 2.0 ** (pauses - 1)) if is_news else 0.0
        pause_s = min(LONGEST_PAUSE_S, own_s if seconds is None else seconds)
        paused_until = max(self.paused_until, now + pause_s * random.uniform(1.0, 1.1))  # noqa: S311 (no secret)
        if not is_news:
            return replace(self, paused_until=paused_until)
        gap_s = min(LONGEST_GAP_S, max(FIRST_GAP_S, (1 if is_again else 2) * self.gap_s_at(now)))
        return replace(self, paused_until=paused_until, refused_at=now, pauses=pauses, went=0, gap_s=gap_s)


@dataclass(frozen=True, kw_only=True)
class ServicePace:
    """How fast a service may be asked."""

    models: Mapping[str, ModelPace] = field(default_factory=dict)
    requests: float = 0.0  #: used of the budget, less what time has given back
    tokens: float = 0.0
    at: float = 0.0  #: when these two were right

    def ask(self, model: str, tokens: int, budget: RateLimit, now: float) -> "tuple[ServicePace, float]":
        """Return the pace with the call counted and 0, or with its turn noted and the seconds until then."""
        past_s, of_model = max(0.0, now - self.at), self.models.get(model, ModelPace())
        drained = replace(
            self,
            requests=max(0.0, self.requests - past_s * _rate(budget.requests)) if budget.requests else 0.0,
            tokens=max(0.0, self.tokens - past_s * _rate(budget.tokens)) if budget.tokens else 0.0,
            at=now,
        )
        waits_s = (
            of_model.paused_until - now,
            of_model.free_at - now,
            _wait_s(drained.requests, 1, budget.requests),
            _wait_s(drained.tokens, tokens, budget.tokens),
        )
        if max(waits_s) <= 0:
            changed = replace(of_model, free_at=now + of_model.gap_s_at(now), went=of_model.went + 1)
            counted = replace(drained, requests=drained.requests + 1, tokens=drained.tokens + tokens)
            return counted._with(model, changed), 0.0
        last_at = max(now, of_model.turn_at)
        needs_s = (
            of_model.gap_s_at(last_at),
            1 / (_rate(budget.requests) or 1e9),
            tokens / (_rate(budget.tokens) or 1e9),
        )
        turn_at = max(now + max(waits_s), of_model.turn_at + max(needs_s))
        return drained._with(model, replace(of_model, turn_at=turn_at)), turn_at - now

    def refuse(self, model: str, seconds: float | None, *, sent_at: float, now: float) -> "ServicePace":
        """Return the pace after a refusal."""
        return self._with(model, self.models.get(model, ModelPace()).refused(seconds, sent_at=sent_at, now=now))

    def _with(self, model: str, changed: ModelPace) -> "ServicePace":
        return replace(self, models={**self.models, model: changed})


def _burst(a_minute: int) -> float:
    return max(1.0, BURST_SHARE * a_minute)


def _rate(a_minute: int) -> float:
    """Return what a second gives back, so that no minute has more than ``a_minute``, the burst included."""
    return max(a_minute - _burst(a_minute), a_minute / 2) / _MINUTE_S


def _wait_s(used: float, needed: int, a_minute: int) -> float:
    """Return the seconds until the budget has what is needed; a call larger than a burst goes when nothing is used."""
    if not a_minute:
        return 0.0
    return (used + min(needed, _burst(a_minute)) - _burst(a_minute)) / _rate(a_minute)


#: what becomes of a pace at a moment, and a number for who asked
Rule = Callable[[ServicePace, float], tuple[ServicePace, float]]


class Pace:
    """When a service's models may be asked by one process; safe in any thread, and never raises."""

    def __init__(self, budget: RateLimit | None = None, *, clock: Callable[[], float] = time.time) -> None:
        self._budget = budget or RateLimit()
        self._clock = clock
        self._lock = threading.Lock()
        self._pace = ServicePace()

    def wait_s(self, model: str, tokens: int) -> float:
        """Return 0 if a call of about so many tokens may go now, and count it, else the seconds until its turn."""
        return self.apply(lambda pace, now: pace.ask(model, tokens, self._budget, now))

    def slow_down(self, model: str, seconds: float | None, *, sent_s_ago: float = 0.0) -> None:
        """Let nobody call for so long, as the service asks; None: it does not say how long.

        A call that was sent before the last refusal came tells nothing new.
        """
        self.apply(lambda pace, now: (pace.refuse(model, seconds, sent_at=now - sent_s_ago, now=now), 0.0))

    def settle(self, reserved: int, used: int) -> None:
        """Count the tokens that a call used instead of those that were expected."""
        if self._budget.tokens:
            self.apply(lambda pace, _now: (replace(pace, tokens=pace.tokens + used - reserved), 0.0))

    def apply(self, rule: Rule) -> float:
        """Change the pace by a rule; return what the rule gives."""
        with self._lock:
            self._pace, given = rule(self._pace, self._clock())
        return given
