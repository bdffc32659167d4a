"""Test what a worker does before it forks the processes of its pool."""

from __future__ import annotations

import gc

from celery import signals

from workers import pools


def test_garbage_collector_leaves_alone_what_the_worker_had_loaded_before_it_forks() -> None:
    loaded = [pools]  # an object that the collector would write to
    assert any(each is loaded for each in gc.get_objects())
    try:
        signals.worker_before_create_process.send(sender=None)
        assert not any(each is loaded for each in gc.get_objects())
    finally:
        gc.unfreeze()
