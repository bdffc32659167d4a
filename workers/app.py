"""The Celery application: queues, routes and settings."""

import os

from celery import Celery

from domain.flow import QUEUES, TASKS, WORKERS
from workers.priorities import DEFAULT_QUEUE, PRIORITY_STEPS
from workers.settings import load

#: a worker loads only the tasks of its own queues, and starts sooner
_NAMES = os.environ.get("WELLREAD_QUEUE") or ",".join(WORKERS)
app = Celery(
    "wellread",
    task_cls="workers.task:WellreadTask",
    include=["workers.pools", *(f"workers.tasks.{name}" for name in _NAMES.split(",") if name in WORKERS)],
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
    task_routes={task.name: {"queue": task.queue} for task in TASKS.values()},
    # what is to follow a question may be another service's task: it goes where that is served, and never to us
    task_default_queue=DEFAULT_QUEUE,
    task_create_missing_queues=True,
    task_queues={name: {"exchange": name, "routing_key": name} for name in QUEUES},
    task_acks_late=True,
    task_ignore_result=True,
    task_soft_time_limit=100,
    task_time_limit=120,
    task_serializer="json",
    accept_content=["json"],
    task_publish_retry=False,
    worker_prefetch_multiplier=1,
    worker_soft_shutdown_timeout=20,
    worker_consumer="workers.pools:BatchingConsumer",
    worker_send_task_events=True,
    task_send_sent_event=False,
    worker_hijack_root_logger=False,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    beat_scheduler="celery.beat:Scheduler",
    beat_schedule={  # each message expires before the next one is sent, so that none pile up
        task.name: {"task": task.name, "schedule": task.every_s, "options": {"expires": task.every_s}}
        for task in TASKS.values()
        if task.every_s
    },
    enable_utc=True,
    timezone="UTC",
)
