"""Where values lie along an axis, the round values that are marked on it, and how numbers are written."""

from __future__ import annotations

import math
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """An axis of a chart."""

    least: float
    most: float
    start: float  #: the pixel of the least value
    end: float  #: the pixel of the most
    is_log: bool = False  #: then the least is above 0

    def place(self, value: float) -> float:
        """Return the pixel of a value."""
        least, most, at = (math.log(each) if self.is_log else each for each in (self.least, self.most, value))
        return self.start + (at - least) / (most - least) * (self.end - self.start)


def round_values(most: float, number: int = 5) -> list[float]:
    """Return 0 and at most so many round values in equal steps, the last no less than ``most``, which is above 0."""
    size: float = 10.0 ** math.floor(math.log10(most / number))
    step = next(factor * size for factor in _STEPS if factor * size * number >= most * (1 - 1e-9))
    return [step * count for count in range(math.ceil(most / step - 1e-9) + 1)]


def number(value: float) -> str:
    """Return a number as the docs write it: .8, 3.5, 1,342."""
    shown = f"{value:,.6g}"
    return shown[1:] if shown.startswith("0.") else shown
