"""How a worker's pool process starts: tied to its worker's life, and with open what its first task needs."""

from __future__ import annotations

import os

from celery import signals

from workers.processes import parent_death
from workers.services import warm_up


@signals.worker_process_init.connect
def start(**_: object) -> None:
    """Die when the worker dies, and open what the queue's first task would otherwise wait for."""
    parent_death.die_with_parent()
    warm_up(os.environ.get("WELLREAD_QUEUE", ""))
