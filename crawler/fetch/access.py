"""How a site of the operator's own is reached: headers, a client certificate, a private CA, a proxy.

All of it is secret and holds for what belongs to that site, if nothing else causes the request; the robots.txt of its
host is fetched over the same connections, without the headers.
"""

import base64
import ssl
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self
from urllib.parse import unquote

import httpcore2

from crawler import urls
from crawler.fetch.guard import Blocked, FetchError, Guard, allowlist_entry
from crawler.fetch.network import GuardedNetwork, Resolver
from crawler.fetch.response import Limits
from domain.options import SourceAccess
from domain.site import SiteScope

#: seconds for which a connection is kept that nobody uses
KEPT_S: Final = 15.0


class BadAccess(FetchError):
    """A certificate, key, CA or proxy cannot be used; the message says which, and nothing of what was given."""


@dataclass(frozen=True, kw_only=True)
class SiteAccess:
    """The secrets of a site; none of them is shown."""

    scope: SiteScope
    origin: str
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)  #: names in lower case
    certificate: str = field(default="", repr=False)  #: PEM, as the next two
    key: str = field(default="", repr=False)
    ca: str = field(default="", repr=False)
    proxy: str = field(default="", repr=False)  #: its URL, perhaps with a user and a password

    @classmethod
    def of(cls, scope: SiteScope, secrets: Mapping[str, Any]) -> Self:
        """Return what is stored for a site."""
        given = SourceAccess.model_validate(secrets)
        headers = {name.lower(): value for name, value in given.headers.items()}
        if given.user or given.password:
            pair = f"{given.user or ''}:{given.password or ''}"
            headers["authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        if given.cookies:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in given.cookies.items())
        texts = {name: getattr(given, name) or "" for name in ("certificate", "key", "ca", "proxy")}
        return cls(scope=scope, origin=urls.origin(scope.starts[0]), headers=tuple(headers.items()), **texts)

    def serves(self, url: str) -> bool:
        """Return whether a URL belongs to the site, or is the robots.txt that is asked for it."""
        is_here = urls.origin(url) == self.origin
        return is_here and (url == f"{self.origin}/robots.txt" or self.scope.covers(urls.canonical(url)))

    def check(self) -> None:
        """Raise BadAccess unless connections can be opened with it."""
        self.tls()
        self.proxy_parts()

    def tls(self) -> ssl.SSLContext:
        """Return how TLS is spoken with its host; raises BadAccess."""
        context = httpcore2.default_ssl_context()
        try:
            if self.ca:
                context.load_verify_locations(cadata=self.ca)
        except (ssl.SSLError, ValueError):
            raise BadAccess("The CA is not a certificate in PEM form.") from None
        if not self.certificate:
            return context
        # Python loads them from a file only: this one is its owner's to read, and gone at once
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(f"{self.certificate}\n{self.key}")
            file.flush()
            try:
                context.load_cert_chain(file.name, password="")  # none is asked for at the terminal
            except (ssl.SSLError, OSError, ValueError):
                raise BadAccess(
                    "The client certificate cannot be used: give it and its key, without a password, in PEM form."
                ) from None
        return context

    def proxy_parts(self) -> tuple[str, tuple[str, str] | None] | None:
        """Return the proxy's URL without user and password, and those; raises BadAccess."""
        if not self.proxy:
            return None
        try:
            parsed = urls.parse(self.proxy)
            user, password = parsed.username, parsed.password
            parsed.username = parsed.password = ""
            allowlist_entry(parsed.href)
        except (urls.BadUrl, Blocked):
            raise BadAccess("The proxy is not an http(s) URL, such as http://proxy.example:3128.") from None
        return str(parsed.origin), (unquote(user), unquote(password)) if user else None


class SiteAccesses:
    """Chooses what is sent to a URL, and over which connections."""

    def __init__(self, accesses: Iterable[SiteAccess], resolver: Resolver, limits: Limits) -> None:
        self._accesses = tuple(accesses)
        self._resolver, self._limits = resolver, limits
        self._pools: dict[SiteAccess, httpcore2.AsyncConnectionPool] = {}

    def headers_for(self, url: str) -> dict[str, str]:
        """Return the headers that are for the page with this URL and no other site's."""
        access = self._nearest(url)
        return dict(access.headers) if access is not None and access.scope.covers(urls.canonical(url)) else {}

    def is_for(self, url: str, page: str) -> bool:
        """Return whether a page may lead to a URL: into a site with secrets only that site's own pages do."""
        access = self._nearest(url)
        return access is None or access.scope.covers(urls.canonical(page))

    def pool_for(self, url: str) -> httpcore2.AsyncConnectionPool | None:
        """Return the connections for the URL; None if it needs none of its own."""
        access = self._nearest(url)
        if access is None or not (access.certificate or access.ca or access.proxy):
            return None
        if access not in self._pools:
            self._pools[access] = self._open(access)
        return self._pools[access]

    async def aclose(self) -> None:
        """Close every connection."""
        for pool in self._pools.values():
            await pool.aclose()

    def _nearest(self, url: str) -> SiteAccess | None:
        near = [access for access in self._accesses if access.serves(url)]
        return max(near, key=lambda access: access.scope.narrowness(url), default=None)

    def _open(self, access: SiteAccess) -> httpcore2.AsyncConnectionPool:
        context, proxy = access.tls(), access.proxy_parts()
        url, user = proxy or (access.origin, None)
        # to the site itself, or to its proxy, which then resolves the site's name; to no other host
        only = Guard(own_sites=frozenset({allowlist_entry(url)}))
        network = GuardedNetwork(only, self._resolver, dns_s=self._limits.dns_s, connect_s=self._limits.connect_s)
        if proxy is None:
            return httpcore2.AsyncConnectionPool(ssl_context=context, network_backend=network, keepalive_expiry=KEPT_S)
        return httpcore2.AsyncHTTPProxy(
            url, user, ssl_context=context, network_backend=network, keepalive_expiry=KEPT_S,
            proxy_ssl_context=context if url.startswith("https:") else None,
        )  # fmt: skip
