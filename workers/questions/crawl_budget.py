"""What a question's crawl may use, and why it must end: pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from domain import Question


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a question's crawl has come."""

    pages: int = 0
    bytes: int = 0
    cycle: int = 0  #: search cycles completed
    news: bool = True  #: whether the last wave brought something that was not known
    exhausted: str = ""  #: why nothing is left to read; empty while something is


def stop_reason(question: Question, progress: Progress, now: datetime) -> str:
    """Why a crawl must end; empty while it may go on."""
    budget = question.budget
    if progress.exhausted:
        return progress.exhausted
    if progress.cycle >= budget.cycles:
        return f"all {budget.cycles} search cycles are used up"
    if progress.pages >= budget.pages:
        return f"the budget of {budget.pages} pages is used up"
    if progress.bytes >= budget.bytes:
        return f"the budget of {budget.bytes:,} bytes is used up"
    return out_of_time(question, now) or ("" if progress.news else "the last pages read brought nothing new")


def out_of_time(question: Question, now: datetime) -> str:
    """Why a crawl's time is over; empty while it is not."""
    began = question.crawl_started_at
    if began is None or (now - began).total_seconds() < question.budget.seconds:
        return ""
    return f"the budget of {question.budget.seconds:g} seconds is used up"
