"""What a busy machine may add to a bound on time."""

from __future__ import annotations

#: seconds; what a test bounds ends by itself at its deadline, or would take far longer than this
SLACK_S = 10.0
