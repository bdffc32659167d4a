"""The Celery application: queues, routes and settings."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery

from workers.queues import PRIORITY_STEPS, QUEUE_NAMES, QUEUES
from workers.settings import load

SWEEP_EVERY_S = 3.0


def beat_schedule() -> dict[str, dict[str, Any]]:
    """Return the schedule of beat; each message expires before the next one is sent, so that none pile up."""
    every = {
        "wellread.sweep": SWEEP_EVERY_S,
        "wellread.refresh": 10.0,
        "wellread.expire": 60.0,
        "wellread.compact": 300.0,
        "wellread.learn": 300.0,
    }
    return {name: {"task": name, "schedule": s, "options": {"expires": s}} for name, s in every.items()}


#: a worker loads only the tasks of its own queue, and starts sooner
_QUEUE = os.environ.get("WELLREAD_QUEUE", "")
app = Celery(
    "wellread",
    task_cls="workers.task:Task",
    include=["workers.pool_process", *(f"workers.tasks.{name}" for name in QUEUE_NAMES if _QUEUE in ("", name))],
)
app.conf.update(
    broker_url=load().broker,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "visibility_timeout": 300,  # above twice the hard time limit
        "unacked_restore_interval": 5,
        "unacked_mutex_expire": 10,
        "socket_timeout": 30,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "priority_steps": list(PRIORITY_STEPS),
        "queue_order_strategy": "priority",
        # the sweep sends a lost message again: a failed send takes 2 ms instead of 6 s while Redis is away
        "max_retries": 1,
        "interval_start": 0,
        "interval_step": 0.1,
        "interval_max": 0.2,
    },
    task_routes={name: {"queue": queue} for name, queue in QUEUES.items()},
    task_default_queue=QUEUES["wellread.ask"],
    task_create_missing_queues=False,
    task_queues={name: {"exchange": name, "routing_key": name} for name in QUEUE_NAMES},
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    task_soft_time_limit=100,
    task_time_limit=120,
    task_serializer="json",
    accept_content=["json"],
    task_publish_retry=False,
    worker_prefetch_multiplier=1,
    worker_max_tasks_per_child=5_000,  # a new one opens models for 1.4 s of processor time: 3 ms a task at 500
    worker_proc_alive_timeout=60,  # opening a model on a busy machine takes longer than the usual 4 s
    worker_soft_shutdown_timeout=20,
    worker_consumer="workers.consumer:BatchingConsumer",
    worker_send_task_events=True,
    task_send_sent_event=False,
    worker_hijack_root_logger=False,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    beat_scheduler="celery.beat:Scheduler",
    beat_schedule=beat_schedule(),
    enable_utc=True,
    timezone="UTC",
)
