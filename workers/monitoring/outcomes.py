"""What came of the running task, in words: its result in Celery's events, which Flower shows. Nothing reads it back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from domain import ReadOutcome, Status
from domain.outcome import outcome_at_end
from store.crawl.candidates import CandidateOutcome
from store.questions.state import Move
from store.questions.trace import LookupDetail, WriteDetail

#: of one outcome
MOST_CHARS = 200
#: the row waits for something else, or another process works on it
NOT_DUE = "nothing to do"

_told: ContextVar[list[str] | None] = ContextVar("told", default=None)


@contextmanager
def listening() -> Iterator[Callable[[], str]]:
    """Yield what returns the last words that were told in the block; "" where there were none."""
    words: list[str] = []
    token = _told.set(words)
    try:
        yield lambda: words[-1] if words else ""
    finally:
        _told.reset(token)


def tell(words: str) -> None:
    """Say what came of the running task."""
    told = _told.get()
    if told is not None:
        told.append(words[:MOST_CHARS])


def of_move(move: Move) -> str:
    """Return what a step of a question came to: "answered .91", "not enough: …"."""
    if isinstance(move.detail, WriteDetail) and move.outcome == "model failed":
        return f"{move.to.lower()}, the model failed: {move.detail.error}"
    if move.to is Status.ANSWERED and move.verdict is not None:
        sure = f"{move.verdict.confidence:.2f}".removeprefix("0")
        return f"{outcome_at_end(move.to, sufficient=move.verdict.sufficient)} {sure}"
    if move.to is Status.FAILED:
        return f"failed: {move.changes.error}"
    if move.to is Status.TIMED_OUT:
        return "timed out"
    verdict = move.detail.verdict if isinstance(move.detail, LookupDetail) else move.verdict
    if move.to is Status.WRITING:
        return (
            f"enough for the model to write: {verdict.reason}" if verdict and verdict.sufficient else "asks the model"
        )
    if verdict is not None:
        return f"{'unknown' if move.to is Status.ABSTAINED else 'not enough'}: {verdict.reason}"
    return move.changes.stop_reason or move.outcome


def of_page(outcome: CandidateOutcome) -> str:
    """Return what the reading of a page came to: "read 5 kB", "failed: it did not answer"."""
    if outcome.outcome is ReadOutcome.READ:
        size = outcome.bytes
        return f"read {size / 1000:.0f} kB" if size >= 1000 else f"read {size} bytes"
    return f"{outcome.outcome.lower()}: {outcome.reason}" if outcome.reason else outcome.outcome.lower()
