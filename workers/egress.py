"""Decides what may leave the machine, as WELLREAD_EGRESS says, and lists it.

``none`` allows loopback and the operator's own hosts and sites, ``sources`` also the hosts of sources. The guard of
pages and webhooks applies it to each request and each address (:mod:`crawler.fetch.guard`). Whatever else opens a
connection to a service asks ``Settings.may_reach`` before. The database, Redis and the object store are always reached.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from crawler import urls
from crawler.fetch.guard import AllowedHost, Blocked, EgressForbidden, Guard, allowlist_entry
from crawler.paid_fetcher import SERVICES
from crawler.search.engine import ENGINES, engine_class, missing, variable
from domain.site import Source
from workers import mail
from workers.settings import Settings

#: hosts that are listed of one kind
_SHOWN = 20
#: of OpenTelemetry, in the order of their precedence
TRACES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")


def require(settings: Settings, url: str, what: str) -> None:
    """Raise EgressForbidden if the service may not be asked."""
    if not settings.may_reach(url):
        raise EgressForbidden(f"{what} at {_host(url)}", settings.egress)


def guard(
    settings: Settings,
    sources: Iterable[Source] = (),
    own: Iterable[str] = (),
    allowed: Iterable[str] = (),
    folders: Iterable[str] = (),
) -> Guard:
    """Return the guard of requests; ``own`` are URLs that are yours besides the allowed hosts and your own sources.

    ``allowed`` are hosts and networks that may be reached besides; ``folders`` the URLs of folders elsewhere, which are
    sources too.
    """
    sources = tuple(sources)
    yours = (*settings.own_hosts, *own, *(source.url for source in sources if source.own))
    listed = set()
    origins = [*folders, *(each for source in sources for each in source.scope.origins)]
    for origin in origins if settings.egress == "sources" else ():
        with suppress(Blocked):  # an address has no www
            listed.add(allowlist_entry(origin))
    return Guard(
        own_sites=frozenset(map(allowlist_entry, yours)),
        egress=settings.egress,
        sources=frozenset(listed),
        allowed=tuple(map(AllowedHost.of, allowed)),
    )


@dataclass(frozen=True, kw_only=True)
class Route:
    """Something that leaves the machine, or would: what, where to, and by which setting."""

    what: str
    to: str
    setting: str
    allowed: bool = True

    def __str__(self) -> str:
        return f"{self.what} to {self.to} ({self.setting})"


def routes(settings: Settings, sources: Sequence[Source], folders: Sequence[str] = ()) -> Iterator[Route]:
    """Yield what is set up to leave the machine, forbidden or not."""
    s = settings
    own, every = list(s.allow_hosts), "any public host"
    read = sorted({urls.host(source.url) for source in sources if source.own or s.egress == "sources"})
    to = every if s.egress == "all" else _listed([*own, *read])
    yield Route(what="requests for pages", to=to or every, setting="sources, WELLREAD_ALLOW_HOSTS", allowed=bool(to))
    to = every if s.egress == "all" else _listed(own)
    yield Route(what="webhooks", to=to or every, setting="WELLREAD_ALLOW_HOSTS", allowed=bool(to))
    for server in folders:
        allowed = s.egress == "sources" or s.may_reach(server)
        yield Route(what="requests for files", to=_host(server), setting="watched folders", allowed=allowed)
    for name in configured_engines(s):
        url = s.searxng_url if name == "searxng" else getattr(engine_class(name), "base_url", None)
        setting = variable(name) if ENGINES[name].setting else "WELLREAD_ENGINES"
        yield Route(what="queries", to=_host(url or name), setting=setting, allowed=s.egress == "all")
    if s.fetcher:
        url, setting = SERVICES[s.fetcher][1], "WELLREAD_FETCHER"
        yield Route(what="addresses of refused pages", to=_host(url), setting=setting, allowed=s.egress == "all")
    if url := s.model_url:
        setting = "WELLREAD_MODEL_BASE_URL" if s.model_base_url else "WELLREAD_ANTHROPIC_API_KEY"
        yield Route(what="questions and passages", to=_host(url), setting=setting, allowed=s.may_reach(url))
    if s.reranker == "api" and (url := s.rerank_url):
        setting = "WELLREAD_RERANK_URL"
        yield Route(what="questions and passages", to=_host(url), setting=setting, allowed=s.may_reach(url))
    if url := s.embedder_url:
        yield Route(what="passages", to=_host(url), setting="WELLREAD_EMBEDDER", allowed=s.may_reach(url))
    if s.embedder.startswith("fastembed:"):
        allowed = s.egress == "all"
        yield Route(what="downloads of a model", to="its hub", setting="WELLREAD_EMBEDDER", allowed=allowed)
    if s.smtp_url.get_secret_value():
        host, port = mail.server_of(s)
        allowed = s.may_connect(host, port)
        yield Route(what="e-mail", to=f"{host}:{port}", setting="WELLREAD_SMTP_URL", allowed=allowed)
    for name in TRACES:
        if url := os.environ.get(name):
            yield Route(what="traces", to=_host(url), setting=name, allowed=s.may_reach(url))
    for name in ("database_url", "redis_url", "events_redis_url", "passages_uri"):
        if (url := getattr(s, name)) and (host := urlsplit(url).hostname):
            yield Route(what="your data", to=host, setting=f"WELLREAD_{name.upper()}")


def described(settings: Settings, sources: Sequence[Source], folders: Sequence[str] = ()) -> str:
    """Return in a text what may leave the machine, and what is kept in."""
    every = list(routes(settings, sources, folders))
    parts: list[str] = [settings.egress]
    for word, allowed in (("leaves", True), ("forbidden", False)):
        if named := "; ".join(str(route) for route in every if route.allowed is allowed):
            parts.append(f"{word}: {named}")
    return ". ".join(parts)


def configured_engines(settings: Settings) -> tuple[str, ...]:
    """Return the engines named in the settings, or all whose key or address is set, whether or not they are allowed."""
    if settings.engines:
        return tuple(dict.fromkeys(settings.engines))
    values = dict(settings)
    return tuple(name for name, entry in ENGINES.items() if not entry.opt_in and not missing(name, values))


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2] or url


def _listed(hosts: Sequence[str]) -> str:
    more = f" and {len(hosts) - _SHOWN} more" if len(hosts) > _SHOWN else ""
    return ", ".join(hosts[:_SHOWN]) + more
