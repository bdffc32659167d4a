"""The figures for Prometheus, computed from SQL, Redis and the disk when it asks: every process gives the same.

If SQL or Redis does not answer, `wellread_up` says so and its figures are left out.
"""

import shutil
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from statistics import quantiles

import redis
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.orm import Session

from api import installed_version
from domain import Status
from domain.flow import QUEUES, TASKS
from store import activity
from store.questions.state import OPEN, REFUSED
from store.sql.database import DatabaseError
from store.sql.tables import QuestionRow, WebhookRow, WebhookStatus
from workers.priorities import queue_length
from workers.processes.heartbeat import last_sweep, living_workers
from workers.services import Services
from workers.services.collections import every

#: name → what it says, its labels
METRICS: dict[str, tuple[str, tuple[str, ...]]] = {
    name: (meaning, tuple(labels))
    for name, (meaning, *labels) in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}
WINDOW = timedelta(hours=1)


class Figures(Collector):
    """The figures of one moment, as the Prometheus client takes them."""

    def __init__(self) -> None:
        self._families = {
            name: GaugeMetricFamily(name, meaning, labels=labels) for name, (meaning, labels) in METRICS.items()
        }

    def set(self, name: str, value: float, *labels: str) -> None:
        """Set a figure of :data:`METRICS`, with its labels in their order."""
        self._families[name].add_metric(labels, value)

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return all of them, also those without a value."""
        return self._families.values()


def exposition(services: Services) -> bytes:
    """Return the figures of all collections in Prometheus' text format."""
    found = Figures()
    found.set("wellread_build", 1, installed_version())
    _disk(services, found)
    for part, read, error in (("database", _database, DatabaseError), ("redis", _redis, redis.RedisError)):
        try:
            read(services, found)
        except error:  # /readyz says what to do
            found.set("wellread_up", 0, part)
        else:
            found.set("wellread_up", 1, part)
    registry = CollectorRegistry()
    registry.register(found)
    return generate_latest(registry)


def _disk(services: Services, found: Figures) -> None:
    try:
        usage = shutil.disk_usage(services.settings.data_dir)
    except FileNotFoundError:  # nothing was stored yet
        return
    found.set("wellread_disk_free_bytes", usage.free)
    found.set("wellread_disk_bytes", usage.total)


def _database(services: Services, found: Figures) -> None:
    """Add up what SQL says of each collection; nothing is set unless all of them answer."""
    sums: defaultdict[tuple[str, ...], float] = defaultdict(float)
    oldest: defaultdict[str, float] = defaultdict(float)
    steps: defaultdict[str, list[float]] = defaultdict(list)
    for each in every(services):
        now = each.now()
        with each.database.read() as session:
            for named, number in (*_current(session), *_recent(session, now - WINDOW)):
                sums[named] += number
            for task, (row, waits) in activity.WAITING.items():
                due = activity.due(session, row, waits, now)
                sums["wellread_due", TASKS[task].queue, task] += due.number
                oldest[task] = max(oldest[task], due.oldest_s)
            for name, seconds in activity.step_times(session):
                steps[name].append(seconds)
    for (name, *labels), value in sums.items():
        found.set(name, value, *labels)
    for task, seconds in oldest.items():
        found.set("wellread_oldest_due_seconds", seconds, task)
    for step_name, times in steps.items():
        parts = quantiles(times, n=20, method="inclusive") if len(times) > 1 else times * 19
        found.set("wellread_step_seconds", parts[9], step_name, "0.5")
        found.set("wellread_step_seconds", parts[18], step_name, "0.95")


_Figure = tuple[tuple[str, ...], float]


def _current(session: Session) -> Iterator[_Figure]:
    for status in OPEN:
        yield ("wellread_questions", status), activity.count(session, QuestionRow.status == status)
    yield (
        ("wellread_dead_questions",),
        activity.count(session, QuestionRow.status == Status.FAILED, QuestionRow.fingerprint != REFUSED),
    )
    for state in (WebhookStatus.WAITING, WebhookStatus.FAILED):
        yield ("wellread_webhooks", state.lower()), activity.count(session, WebhookRow.status == state)


def _recent(session: Session, since: datetime) -> Iterator[_Figure]:
    for status, number in activity.questions_ended(session, since).items():
        yield ("wellread_questions_ended", status), number
    for ended_as, number in activity.outcomes(session, since).items():
        yield ("wellread_outcomes", ended_as), number
    for outcome, number in activity.crawl_outcomes(session, since).items():
        yield ("wellread_crawl_outcomes", outcome), number
    spent = activity.model_costs(session, since)
    yield ("wellread_spent_usd",), spent.usd
    yield ("wellread_spent_tokens",), spent.tokens


def _redis(services: Services, found: Figures) -> None:
    alive, memory, swept = living_workers(services), services.redis.info("memory"), last_sweep(services)
    for queue in QUEUES:
        found.set("wellread_messages", queue_length(services.redis, queue), queue)
        found.set("wellread_workers", alive[queue], queue)
    found.set("wellread_redis_memory_bytes", memory["used_memory"])
    found.set("wellread_redis_memory_limit_bytes", memory["maxmemory"])
    if swept is not None:
        found.set("wellread_sweep_seconds", swept.seconds)
        found.set("wellread_sweep_age_seconds", swept.ago_s)
