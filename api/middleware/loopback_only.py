"""Keeps a keyless API to the machine it runs on.

It listens on loopback, but a web page of another site could still reach it through the user's browser. It therefore
refuses a foreign Host (DNS rebinding) and, for requests that change something, a foreign Origin (cross-site request
forgery). A proxy on this machine would let others in: what one passed on is refused.
"""

import re
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.middleware.problem_kinds import Problem
from api.middleware.problems import respond

_HOST = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9.-]+))(?::\d{1,5})?")
#: what a proxy on this machine adds for requests that may come from elsewhere
_FORWARDED = (
    *("forwarded", "via", "x-forwarded", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-", "x-envoy-"),
    *("x-amzn-trace-id", "x-azure-", "true-client-ip", "cf-", "cdn-loop", "fastly-", "fly-", "tailscale-"),
)
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
#: a page of another site cannot send this type without a preflight request, which this server never grants
_JSON = "application/json"


class LoopbackOnly:
    """Refuses requests that reach a keyless API under another host name or from another site's page."""

    def __init__(self, app: ASGIApp, *, names: Iterable[str], forms: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset(names)
        self._forms = frozenset(forms)  #: paths that take a file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "http" and (
            problem := self._objection(scope["method"], scope["path"], Headers(scope=scope))
        ):
            await respond(problem, scope["path"])(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _objection(self, method: str, path: str, headers: Headers) -> Problem | None:
        if by := next((name for name in headers if name.startswith(_FORWARDED)), None):
            return _refused(
                f"A proxy passed this request on (it has the header {by}), and no key is needed here.",
                "Set WELLREAD_API_KEYS before a proxy lets others in.",
            )
        host = headers.get("host", "")
        if _host_name(host) not in self._names:
            return _refused(
                f"The Host {host[:100]!r} is not this machine.",
                "Use http://127.0.0.1 or http://localhost; to serve others, set WELLREAD_API_KEYS.",
            )
        origin = headers.get("origin", f"http://{host}")
        if origin not in (f"http://{host}", f"https://{host}") or _is_of_another_site(method, headers):
            return _refused(
                f"A page of {origin[:100]!r} may not do this."
                if "origin" in headers
                else "A page of another site may not do this.",
                "Call the API from a program, or from its own page; to serve others, set WELLREAD_API_KEYS.",
            )
        if method in SAFE or path in self._forms:
            return None
        if has_body(headers) and headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
            return Problem(
                type="unsupported-media-type",
                title="Not JSON",
                status=415,
                detail="The body does not say that it is JSON.",
                what_to_do=f"Send the header `Content-Type: {_JSON}`.",
            )
        return None


def _refused(detail: str, what_to_do: str) -> Problem:
    return Problem(type="foreign-origin", title="Refused", status=403, detail=detail, what_to_do=what_to_do)


def _is_of_another_site(method: str, headers: Headers) -> bool:
    """Return whether a browser says that another site's page sends this; links may lead here from anywhere."""
    is_link = method in SAFE and headers.get("sec-fetch-mode") == "navigate"
    return headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not is_link


def has_body(headers: Headers) -> bool:
    """Return whether a request says that it has a body."""
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _host_name(host: str) -> str:
    """Return the name in a Host header without port and brackets; "" when it is malformed."""
    found = _HOST.fullmatch(host)
    return (found["v6"] or found["name"]).lower() if found else ""
