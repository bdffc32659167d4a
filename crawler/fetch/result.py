"""The result of a fetch: an answer within limits, or one of the errors."""

from collections.abc import Mapping
from dataclasses import dataclass

from crawler.fetch.content_encoding import BodyBounds
from crawler.fetch.guard import FetchError

ANY_TYPE = frozenset({"*/*"})  #: for what is recognised by its bytes, such as robots.txt


class TooLarge(FetchError):
    """The answer exceeds a limit; the message says which."""


class FetchTimeout(FetchError):
    """The answer did not come in time."""


class HostUnreachable(FetchError):
    """No answer: the name, the connection, TLS or the protocol failed; the message says which."""

    def __init__(self, message: str, *, why: str = "") -> None:
        super().__init__(message)
        self.why = why or message  #: what failed, without the URL


class NotConnected(HostUnreachable):
    """No connection came about: the name, the network or the proxy failed, or nobody listens."""


class NotText(FetchError):
    """The answer is not of a content type that can be read."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits on the time of a fetch and the size of its answer."""

    deadline_s: float = 20.0  #: for everything: all hops, DNS and bytes
    connect_s: float = 5.0  #: for one address
    dns_s: float = 3.0
    max_hops: int = 5  #: redirects followed
    max_wire: int = 5_000_000  #: bytes of body as they arrive
    max_body: int = 10_000_000  #: bytes of body once decoded
    max_ratio: float = 100.0  #: decoded per arrived byte

    def bounds(self) -> BodyBounds:
        """Return the bounds of one body."""
        return BodyBounds(max_wire=self.max_wire, max_body=self.max_body, max_ratio=self.max_ratio)


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """A server's answer, whatever its status."""

    url: str  #: the last URL, after redirects: absolute, without fragment
    status: int
    #: names in lower case; repeated ones joined by ", ", or by lines where values have commas
    headers: Mapping[str, str]
    body: bytes  #: decoded; may be empty for an answer that is no 2xx
    content_type: str  #: lower case, without parameters; "" where the server gave none
    elapsed_s: float = 0.0
