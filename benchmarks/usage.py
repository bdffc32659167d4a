"""What a process with all its children uses: memory, and time of processors."""

from __future__ import annotations

from contextlib import suppress

import psutil


def processor_s(parent: int) -> float:
    """Return the seconds that processors have worked for a process and its children, those that have ended too."""
    whole, used = psutil.Process(parent), 0.0
    for process in (whole, *whole.children(recursive=True)):
        with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            times = process.cpu_times()
            used += times.user + times.system + times.children_user + times.children_system
    return used


def memory(parent: int) -> tuple[float, float]:
    """Return the bytes that a process and its children use: shared pages once (PSS), and each time (RSS)."""
    whole = psutil.Process(parent)
    pss = rss = 0.0
    for process in (whole, *whole.children(recursive=True)):
        with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            used = process.memory_full_info()
            pss, rss = pss + used.pss, rss + used.rss
    return pss, rss
