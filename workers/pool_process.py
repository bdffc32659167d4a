"""Prepares each process of a worker's pool: it dies with its worker, and opens the services of its first task."""

from __future__ import annotations

import os

from celery import signals

from workers.processes import parent_death
from workers.services import warm_up


@signals.worker_process_init.connect
def start(**_: object) -> None:
    """Die with the worker, and open the services that the queue's first task would wait for."""
    parent_death.die_with_parent()
    warm_up(os.environ.get("WELLREAD_QUEUE", ""))
