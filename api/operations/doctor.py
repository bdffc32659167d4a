"""Finds what is wrong with a set-up and what to do about it."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import redis
from sqlalchemy.engine import make_url

from api.operations import resources
from api.operations.doctor_model import check_claude, check_model_server
from api.operations.resources import Diagnosis
from crawler.fetch.guard import EgressForbidden
from crawler.search.engine import EngineDown, EngineError, Query, error_named
from domain.errors import WellreadError
from pipeline.documents import DOCUMENTS
from store.crawl import candidates, sources
from store.sql.database import check_schema, where
from workers.crawl.seek import cooling_engines
from workers.egress import configured_engines
from workers.processes.stack import running
from workers.services import Services, completeness
from workers.services.collections import every
from workers.services.pipeline import open_reranker
from workers.services.web import switched_on
from workers.setting_origins import set_variables
from workers.settings import LOOPBACK, Settings, unknown_variables

#: below this much free space a crawl may fill the disk
LOW_BYTES = 1_000_000_000
#: the query that tests whether an engine answers
PROBE = "encyclopedia"
#: the engines that answer a query for nothing
FREE = ("searxng", "wikipedia")


def diagnose(services: Services, *names: str) -> Iterator[Diagnosis]:
    """Run every check, or those of these names, in turn; a check that fails is itself a finding."""
    for name in names or _CHECKS:
        try:
            is_off = name in _WITH_THE_STACK and _is_idle(services.settings)
            diagnosis = Diagnosis("note", _WITH_THE_STACK[name]) if is_off else _CHECKS[name](services)
        except WellreadError as error:
            diagnosis = Diagnosis("wrong", str(error))
        except redis.RedisError as error:
            fix = "Start the stack with `wellread up`."
            if services.settings.redis_url:
                fix = "Start Redis, or correct WELLREAD_REDIS_URL; without it the embedded Valkey is used."
            diagnosis = Diagnosis("wrong", f"Redis did not answer: {error}", fix)
        except Exception as error:  # any failure is a finding; the other checks still run
            diagnosis = Diagnosis("wrong", f"{type(error).__name__}: {error}", "Run `wellread --debug doctor`.")
        yield replace(diagnosis, name=name)


def _settings(services: Services) -> Diagnosis:
    fetcher = services.settings.fetcher
    if fetcher and services.settings.egress == "all" and services.paid_fetcher is None:
        return Diagnosis("wrong", f"WELLREAD_FETCHER={fetcher} has no key", f"Set WELLREAD_{fetcher.upper()}_KEY.")
    if unknown := unknown_variables(set_variables()):
        return Diagnosis("note", " ".join(unknown), "docs/settings.md names all.")
    return Diagnosis("ok", "all known")


def _data_folder(services: Services) -> Diagnosis:
    folder = services.settings.data_dir
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe = folder / ".doctor"
        probe.write_bytes(b"x" * 4096)
        probe.unlink()
    except OSError as error:
        fix = f"Make {folder} writable, or set WELLREAD_DATA_DIR to another folder."
        return Diagnosis("wrong", f"{folder}: {error.strerror}", fix)
    return Diagnosis("ok", str(folder))


def _disk(services: Services) -> Diagnosis:
    free = shutil.disk_usage(services.settings.data_dir).free
    found = resources.disk(services.settings.data_dir)
    if found.level == "ok" and free < LOW_BYTES:
        return Diagnosis("wrong", found.finding, "Free some space: with less than 1 GB, a crawl may fill the disk.")
    return found


def _descriptors(services: Services) -> Diagnosis:
    address = running(services.settings)
    return resources.descriptors(resources.children(address.pid) if address else [os.getpid()])


def _stack(services: Services) -> Diagnosis:
    address = running(services.settings)
    if address is None and not services.settings.redis_url:
        return Diagnosis("note", "not running", "Start it with `wellread up`; `ask` does by itself.")
    return Diagnosis("ok", f"{address.api_url} (process {address.pid})" if address else "not embedded")


def _redis(services: Services) -> Diagnosis:
    services.redis.ping()
    policies: dict[Any, Any] = services.redis.config_get("maxmemory-policy")
    appends: dict[Any, Any] = services.redis.config_get("appendonly")
    if (policy := policies.get("maxmemory-policy", "")) not in ("noeviction", ""):
        fix = "redis-cli CONFIG SET maxmemory-policy noeviction (and in redis.conf): any other may drop queued work."
        return Diagnosis("wrong", f"maxmemory-policy is {policy}", fix)
    if appends.get("appendonly") == "no":
        fix = "redis-cli CONFIG SET appendonly yes (and in redis.conf): so that a restart of Redis delays no question."
        return Diagnosis("note", "loses its data at a restart", fix)
    found = resources.memory(services.redis)
    return replace(found, finding=f"{services.settings.redis.split('@')[-1]}, {found.finding}")


def _events(services: Services) -> Diagnosis:
    has_own = services.settings.events_redis_url
    return resources.memory(services.events_redis) if has_own else Diagnosis("ok", "in the same Redis")


def _workers(services: Services) -> Diagnosis:
    found, written = resources.workers(services), resources.writers(services)
    return found if written.level == "ok" else replace(written, finding=found.finding)


def _database(services: Services) -> Diagnosis:
    url = make_url(services.settings.database)
    if services.settings.is_new:
        return Diagnosis("note", "created at the first start")
    check_schema(services.database)
    is_file = url.get_backend_name() == "sqlite"
    return Diagnosis("ok", url.database or "" if is_file else f"{url.get_backend_name()}, {where(str(url))}")


def _embedder(services: Services) -> Diagnosis:
    embedder = services.embedder
    embedder.embed(["Is anybody there?"])
    return Diagnosis("ok", f"{embedder.id}, {embedder.dimension} dimensions")


def _reader(_: Services) -> Diagnosis:
    from text.encoder.runtime import JointLayers

    JointLayers()
    return Diagnosis("ok", "reads English, and six languages that are put into English word by word")


def _knowledge_base(services: Services) -> Diagnosis:
    if services.settings.is_new:
        return Diagnosis("note", "made at the first start")
    for each in every(services):
        found = completeness.look_at(each)
        if found.detail:
            return Diagnosis("wrong", found.detail, found.fix)
    return Diagnosis("ok", f"{services.passages.count():,} passages in {services.settings.passages}")


def _profile(services: Services) -> Diagnosis:
    open_reranker(services.settings)
    if services.settings.profile == "default":
        return Diagnosis("ok", "default")
    values = services.settings.model_dump(include=set(DOCUMENTS))
    shown = ", ".join(f"{name} {','.join(each) if isinstance(each, tuple) else each}" for name, each in values.items())
    return Diagnosis("ok", f"{services.settings.profile}: {shown}")


def _language_model(services: Services) -> Diagnosis:
    model, url = services.model, services.settings.model_url
    if model is None and url:
        finding = str(EgressForbidden(f"requests to the language model at {url}", services.settings.egress))
        return Diagnosis("note", f"{finding}; answers are extractive", "Name its host in WELLREAD_ALLOW_HOSTS.")
    if model is None:
        fix = "Set WELLREAD_ANTHROPIC_API_KEY, or WELLREAD_MODEL_BASE_URL and WELLREAD_LARGE_MODEL for any other model."
        return Diagnosis("note", "none: answers are extractive", fix)
    if services.settings.model_base_url:
        finding, fix = check_model_server(services.settings, model)
    else:
        finding, fix = check_claude(services.settings)
    return Diagnosis("wrong" if fix else "ok", finding, fix)


def _candidate_sources(services: Services) -> Diagnosis:
    sites: list[str] = []
    failed: dict[str, str] = {}
    if not services.settings.is_new:
        with services.database.read() as session:
            sites = [source.url for source in sources.list_all(session)]
            failed = candidates.last_failures(session, sites)
    engines = switched_on(services.settings)
    if not sites and not engines:
        if services.settings.egress != "all":
            fix = "Add a site that may be read with `wellread source add URL`; WELLREAD_EGRESS forbids search engines."
            return Diagnosis("wrong", "no candidate source is configured", fix)
        fix = "Add a site with `wellread source add URL`, or set WELLREAD_SEARXNG_URL or WELLREAD_WIKIPEDIA=true."
        return Diagnosis("wrong", "no candidate source is configured", fix)
    finding = f"{_count(len(sites), 'site')}, {_count(len(engines), 'search engine')}"
    if failed:
        failures = "; ".join(f"{url} could not be read: {reason.rstrip('.')}" for url, reason in failed.items())
        out = ", ".join(f"`wellread source remove {shlex.quote(url)}`" for url in failed)
        fix = f"Check this machine's network, and that each site exists; {out} removes a mistyped one."
        return Diagnosis("wrong", f"{finding}; {failures}", fix)
    return Diagnosis("ok", finding)


def _count(number: int, of: str) -> str:
    return f"{number} {of}{'' if number == 1 else 's'}"


def _search_engines(services: Services) -> Diagnosis:
    """Return which are enabled, and which are in a cooldown and why.

    Those that cost nothing, the operator's own SearXNG and Wikipedia, get a query; engines with a key do not.
    """
    on = switched_on(services.settings)
    if not on and (engines := configured_engines(services.settings)):
        return Diagnosis(
            "note", str(EgressForbidden(f"search engines ({', '.join(engines)})", services.settings.egress))
        )
    if not on:
        return Diagnosis("note", "none is on", "Set WELLREAD_SEARXNG_URL, WELLREAD_WIKIPEDIA=true or an engine's key.")
    try:
        cooldowns = {} if _is_idle(services.settings) else cooling_engines(services)
    except redis.RedisError:  # the check of Redis reports it
        cooldowns = {}
    paused = {name: f" (paused for {_span(cooldown.left_s)})" for name, cooldown in cooldowns.items()}
    findings = [", ".join(name + paused.get(name, "") for name in on)]
    failed = {name: error for name in FREE if name in on and (error := _probe(services, name))}
    findings += [f"{name}: {cooldown.reason}" for name, cooldown in cooldowns.items() if name not in failed]
    if failed:
        fixes = dict.fromkeys(_engine_fix(name, error) for name, error in failed.items())
        finding = "; ".join((*findings, *map(str, failed.values())))
        return Diagnosis("wrong" if "searxng" in failed else "note", finding, " ".join(fixes))
    # those whose error only the operator can correct
    wrong = [name for name, each in cooldowns.items() if error_named(each.kind).needs_operator]
    fix = f"Correct the settings of {', '.join(wrong)}, or leave it out of WELLREAD_ENGINES." if wrong else ""
    return Diagnosis("wrong" if wrong else "ok", "; ".join(findings), fix)


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def _engine_fix(name: str, error: EngineError) -> str:
    if isinstance(error, EngineDown):
        return f"Check this machine's network, and that {name} is there; without it only known pages and sites answer."
    if name == "searxng":
        return "Correct SearXNG's settings; those in the compose file's settings.yml work."
    return f"Set WELLREAD_{name.upper()}=false to do without it."


def _probe(services: Services, name: str) -> EngineError | None:
    (engine,) = (account.engine for account in services.engines if account.engine.name == name)
    try:
        services.wait_for(engine.search(Query(text=PROBE), limit=1))
    except EngineError as error:
        return error
    return None


def _exposure(services: Services) -> Diagnosis:
    s = services.settings
    if s.api_host not in LOOPBACK and not s.api_keys:
        fix = "Set WELLREAD_API_KEYS=admin:…, or WELLREAD_API_HOST=127.0.0.1."
        return Diagnosis("wrong", f"the API would listen on {s.api_host} without a key", fix)
    return Diagnosis("ok", f"{s.api_host}, {'keys' if s.api_keys else 'loopback without a key'}")


#: what is said of the parts of the embedded stack if it does not run
_WITH_THE_STACK = {
    "redis": "the embedded Valkey starts with the stack",
    "workers": "they start with the stack",
    "beat": "it starts with the stack",
}
#: by the name under which a check's finding is shown
_CHECKS: Mapping[str, Callable[[Services], Diagnosis]] = {
    "python": lambda _: Diagnosis("ok", ".".join(map(str, sys.version_info[:3]))),
    "settings": _settings,
    "data folder": _data_folder,
    "disk": _disk,
    "descriptors": _descriptors,
    "stack": _stack,
    "redis": _redis,
    "events": _events,
    "workers": _workers,
    "beat": resources.beats,
    "database": _database,
    "embedder": _embedder,
    "reader": _reader,
    "knowledge base": _knowledge_base,
    "profile": _profile,
    "language model": _language_model,
    "where to read": _candidate_sources,
    "search engines": _search_engines,
    "egress": resources.egress,
    "exposure": _exposure,
}


def _is_idle(settings: Settings) -> bool:
    """Return whether the embedded stack is to be used and is not running."""
    return not settings.redis_url and running(settings) is None
