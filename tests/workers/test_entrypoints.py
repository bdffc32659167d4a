"""The processes of Wellread end when they are told to."""

from __future__ import annotations

import signal
from contextlib import suppress

from celery import Celery
from celery.beat import Scheduler, Service

from workers.entrypoints import end_when_told


def test_beat_ends_also_where_the_exception_that_tells_it_so_is_lost() -> None:
    service = Service(Celery(set_as_current=False), scheduler_cls=Scheduler)
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    end_when_told(service)
    try:
        with suppress(SystemExit):  # as a finaliser does
            signal.raise_signal(signal.SIGTERM)
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    service.start()  # it would go round for ever
