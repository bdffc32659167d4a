"""Finds what is wrong with a set-up and what to do about it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import redis

from domain.errors import WellreadError

if TYPE_CHECKING:
    from workers.services import Services
    from workers.settings import Settings

Level = Literal["ok", "note", "wrong"]

#: below this much free space a crawl may fill the disk
LOW_BYTES = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """The finding of one check."""

    name: str
    level: Level
    said: str
    fix: str = ""  #: what to do, when something is wrong


Check = Callable[["Services"], Diagnosis]


def diagnose(services: Services, checks: Sequence[Check] | None = None) -> Iterator[Diagnosis]:
    """Run every check, or these, in turn; a check that fails is itself a finding."""
    for check in checks or CHECKS:
        try:
            yield check(services)
        except WellreadError as error:
            yield Diagnosis(name=_name(check), level="wrong", said=str(error))
        except redis.RedisError as error:
            yield Diagnosis(
                name=_name(check),
                level="wrong",
                said=f"Redis did not answer: {error}",
                fix=_redis_fix(services),
            )


def _name(check: Callable[..., Any]) -> str:
    return check.__name__.lstrip("_").replace("_", " ")


def _python(_: Services) -> Diagnosis:
    return Diagnosis(name="python", level="ok", said=".".join(map(str, sys.version_info[:3])))


def _data_folder(services: Services) -> Diagnosis:
    folder = services.settings.data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".doctor"
        probe.write_bytes(b"x" * 4096)
        probe.unlink()
    except OSError as error:
        fix = f"Make {folder} writable, or set WELLREAD_DATA_DIR to another folder."
        return Diagnosis(name="data folder", level="wrong", said=f"{folder}: {error.strerror}", fix=fix)
    return Diagnosis(name="data folder", level="ok", said=str(folder))


def _disk(services: Services) -> Diagnosis:
    free = shutil.disk_usage(services.settings.data_dir).free
    said = f"{free / 1e9:.1f} GB free"
    if free < LOW_BYTES:
        return Diagnosis(
            name="disk", level="wrong", said=said, fix="Free some space: below 1 GB a crawl may fill the disk."
        )
    return Diagnosis(name="disk", level="ok", said=said)


def _stack(services: Services) -> Diagnosis:
    from workers.processes.stack import running

    address = running(services.settings)
    if address is None and not services.settings.redis_url:
        return Diagnosis(
            name="stack", level="note", said="not running", fix="Start it with `wellread up`; `ask` does by itself."
        )
    return Diagnosis(
        name="stack", level="ok", said=f"{address.api_url} (process {address.pid})" if address else "not embedded"
    )


def _redis(services: Services) -> Diagnosis:
    if _is_idle(services.settings):
        return Diagnosis(name="redis", level="note", said="the embedded Valkey starts with the stack")
    services.redis.ping()
    policy = _config(services, "maxmemory-policy")
    append = _config(services, "appendonly")
    if policy not in ("noeviction", ""):
        fix = "redis-cli CONFIG SET maxmemory-policy noeviction (and in redis.conf): any other may drop queued work."
        return Diagnosis(name="redis", level="wrong", said=f"maxmemory-policy is {policy}", fix=fix)
    if append == "no":
        fix = "redis-cli CONFIG SET appendonly yes (and in redis.conf): then a restart of Redis delays no question."
        return Diagnosis(name="redis", level="note", said="loses its data at a restart", fix=fix)
    return Diagnosis(name="redis", level="ok", said=services.settings.redis.split("@")[-1])


def _workers(services: Services) -> Diagnosis:
    if _is_idle(services.settings):
        return Diagnosis(name="workers", level="note", said="they start with the stack")
    from workers.services.heartbeat import living_workers

    alive = living_workers(services)
    said = ", ".join(f"{queue} {count}" for queue, count in alive.items())
    if missing := [queue for queue, count in alive.items() if not count]:
        fix = "; ".join(f"run `wellread worker {queue}`" for queue in missing)
        return Diagnosis(name="workers", level="wrong", said=f"no worker for {', '.join(missing)} ({said})", fix=fix)
    if alive["embed"] > 1:
        return Diagnosis(
            name="workers", level="wrong", said=said, fix="Stop all but one `embed` worker: only one may write."
        )
    return Diagnosis(name="workers", level="ok", said=said)


def _database(services: Services) -> Diagnosis:
    from sqlalchemy.engine import make_url

    from store.sql.database import check_schema

    url = make_url(services.settings.database)
    if url.get_backend_name() == "sqlite" and not (services.settings.data_dir / "wellread.db").exists():
        return Diagnosis(name="database", level="note", said="created at the first start")
    check_schema(services.database)
    return Diagnosis(name="database", level="ok", said=url.render_as_string(hide_password=True))


def _embedder(services: Services) -> Diagnosis:
    embedder = services.embedder
    embedder.embed(["Is anybody there?"])
    return Diagnosis(name="embedder", level="ok", said=f"{embedder.id}, {embedder.dimension} dimensions")


def _passages(services: Services) -> Diagnosis:
    kept = services.passages.count()
    return Diagnosis(name="knowledge base", level="ok", said=f"{kept:,} passages in {services.settings.passages}")


def _claude(services: Services) -> Diagnosis:
    model = services.model
    if model is None:
        return Diagnosis(
            name="claude", level="note", said="no key: answers are extractive", fix="Set WELLREAD_ANTHROPIC_API_KEY."
        )
    return Diagnosis(name="claude", level="ok", said=f"{model.name}, key set")


def _candidate_sources(services: Services) -> Diagnosis:
    from store.crawl import sources
    from workers.services.engines import switched_on

    with services.database.read() as session:
        sites = [source.url for source in sources.list_all(session)]
    engines = switched_on(services.settings)
    if not sites and not engines:
        fix = "Add a site with `wellread source add URL`, or set WELLREAD_SEARXNG_URL or WELLREAD_WIKIPEDIA=true."
        return Diagnosis(name="where to read", level="wrong", said="no candidate source is configured", fix=fix)
    return Diagnosis(name="where to read", level="ok", said=f"{len(sites)} sites, {len(engines)} search engines")


def search_engines(services: Services) -> Diagnosis:
    """Check the enabled search engines."""
    from api.operations.doctor_engines import check_engines

    said, fix, is_wrong = check_engines(services, redis_is_there=not _is_idle(services.settings))
    return Diagnosis(name="search engines", level="wrong" if is_wrong else "note" if fix else "ok", said=said, fix=fix)


def _exposure(services: Services) -> Diagnosis:
    s = services.settings
    if s.api_host not in ("127.0.0.1", "::1", "localhost") and not s.api_keys:
        fix = "Set WELLREAD_API_KEYS=admin:…, or WELLREAD_API_HOST=127.0.0.1."
        return Diagnosis(
            name="exposure", level="wrong", said=f"the API would listen on {s.api_host} without a key", fix=fix
        )
    return Diagnosis(
        name="exposure", level="ok", said=f"{s.api_host}, {'keys' if s.api_keys else 'loopback without a key'}"
    )


def _is_idle(settings: Settings) -> bool:
    """Return whether the embedded stack is to be used and is not running."""
    from workers.processes.stack import running

    return not settings.redis_url and running(settings) is None


def _redis_fix(services: Services) -> str:
    if services.settings.redis_url:
        return "Start Redis, or correct WELLREAD_REDIS_URL; without it the embedded Valkey is used."
    return "Start the stack with `wellread up`."


def _config(services: Services, name: str) -> str:
    found: dict[Any, Any] = services.redis.config_get(name)
    value = found.get(name, found.get(name.encode(), ""))
    return value.decode() if isinstance(value, bytes) else str(value)


CHECKS: tuple[Check, ...] = (
    _python,
    _data_folder,
    _disk,
    _stack,
    _redis,
    _workers,
    _database,
    _embedder,
    _passages,
    _claude,
    _candidate_sources,
    search_engines,
    _exposure,
)
