"""What one load came to: how many were answered in a second, how late, how many were refused and came in later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.load.calls import Call


@dataclass(frozen=True, kw_only=True)
class Stage:
    """The figures of one load."""

    name: str
    taken: int
    refused: int
    failed: int  #: calls that were neither taken nor refused
    answered_per_s: float
    p50_s: float
    p95_s: float
    p99_s: float
    in_time: float  #: of those taken, the share that was answered while its caller waited
    refusal_p95_s: float  #: how long a refusal took
    came_again: int  #: calls of those who were refused, at the time that they were told
    came_in: int  #: of these, how many were taken
    peak_open: int
    processor_ms: float  #: of all that runs, for each question that was taken

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {name: round(value, 4) if isinstance(value, float) else value for name, value in asdict(self).items()}

    def as_note(self) -> str:
        """Return the figures as a line of text."""
        line = (
            f"{self.name}: {self.answered_per_s:.1f} answered/s, p50 {self.p50_s:.2f} s, p95 {self.p95_s:.2f} s, "
            f"p99 {self.p99_s:.2f} s, {self.in_time:.1%} of {self.taken} in time, at most {self.peak_open} open, "
            f"{self.processor_ms:.0f} ms of a processor each"
        )
        if self.refused:
            line += f"; {self.refused} refused, {self.came_in} of {self.came_again} who came again taken"
        return line + (f"; {self.failed} failed" if self.failed else "")


def stage(name: str, calls: Sequence[Call], peak_open: int, processor_s: float) -> Stage:
    """Return the figures of a load's calls."""
    taken = [call for call in calls if call.question_id]
    answered = [call for call in taken if call.answered]
    again = [call for call in calls if call.comes_again]
    began = min((call.asked_at for call in calls), default=0.0)
    ended = max((call.asked_at + call.seconds for call in answered), default=began)
    p50, p95, p99 = _percentiles([call.seconds for call in answered])
    return Stage(
        name=name,
        taken=len(taken),
        refused=sum(call.refused for call in calls),
        failed=sum(bool(call.error) for call in calls),
        answered_per_s=len(answered) / max(1e-9, ended - began),
        p50_s=p50,
        p95_s=p95,
        p99_s=p99,
        in_time=len(answered) / max(1, len(taken)),
        refusal_p95_s=_percentiles([call.seconds for call in calls if call.refused])[1],
        came_again=len(again),
        came_in=sum(bool(call.question_id) for call in again),
        peak_open=peak_open,
        processor_ms=1e3 * processor_s / max(1, len(taken)),
    )


def _percentiles(seconds: Sequence[float]) -> tuple[float, float, float]:
    if not seconds:
        return 0.0, 0.0, 0.0
    p50, p95, p99 = (float(value) for value in np.percentile(seconds, (50, 95, 99)))
    return p50, p95, p99
