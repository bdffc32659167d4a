"""Decide which addresses may be fetched: the public web and the operator's own sites, no inner network.

Pure: it checks URLs and IP addresses, and never asks the DNS. ``crawler.fetch.network`` resolves a name once, passes
all its addresses to ``Guard.admit``, and connects to an admitted one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Literal, Self

from ada_url import HostType

from crawler.urls import BadUrl, parse
from domain.errors import WellreadError

Address = IPv4Address | IPv6Address
#: where requests may go: to the operator's own sites, also to the hosts of sources, or anywhere
Egress = Literal["none", "sources", "all"]

WEB_PORTS = frozenset({80, 443, 8080, 8443})

#: IANA's special-purpose IPv4 registry (private, shared, loopback, link-local with every cloud's metadata service,
#: documentation, anycast relays, multicast, reserved), and Azure's metadata address, which lies among public ones
DENIED_V4 = tuple(
    IPv4Network(text)
    for text in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
        *("192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
        *("224.0.0.0/4", "240.0.0.0/4"),
    )
)
#: in IPv6 only global unicast is public, without Teredo and its neighbours, documentation, 6to4, AS112
GLOBAL_V6 = IPv6Network("2000::/3")
DENIED_V6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")))
NAT64 = IPv6Network("64:ff9b::/96")
ISATAP = frozenset({0x00005EFE, 0x02005EFE})  #: bits 32–63 of an address that wraps an IPv4 address

_INTERNAL = re.compile(
    r"(?:.*\.)?(?:localhost|localdomain|local|internal|intranet|private|lan|home|home\.arpa|corp|svc|onion)"
)
#: with its port: one with colons in it in brackets
_HOST = re.compile(r"(?:\[([0-9a-f:.]+(?:/\d+)?)\]|([^:\[\]]+))(?::(\d{1,5}))?")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")


class FetchError(WellreadError):
    """A URL could not be fetched; the subclass says why."""


class Blocked(FetchError):
    """The guard refuses this URL; the message says which rule it breaks."""


class NotPublic(Blocked):
    """The URL leads to an address or a port that is not the public web's; an operator can allow it."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"{problem}. If it is yours, WELLREAD_ALLOW_HOSTS lets its host through; to be read, it can also be added"
            " as your own site."
        )
        self.problem = problem


class EgressForbidden(Blocked):
    """WELLREAD_EGRESS forbids what would leave the machine."""

    def __init__(self, what: str, egress: Egress) -> None:
        also = ", and the hosts of sources," if egress == "sources" else ""
        super().__init__(
            f"WELLREAD_EGRESS={egress} forbids {what}: only loopback, your own hosts (WELLREAD_ALLOW_HOSTS) and your "
            f"own sites{also} may be reached"
        )


class BadHost(WellreadError):
    """A text names neither a host nor a network."""


@dataclass(frozen=True, kw_only=True)
class AllowedHost:
    """A host, or a network, that may be reached although it is not public."""

    host: str = ""
    network: IPv4Network | IPv6Network | None = None
    port: int | None = None  #: None: any

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the host (``crm.internal``, ``10.0.0.5``) or network (``10.0.0.0/8``) of a text; raises BadHost.

        A port may follow, ``[fd00::/8]:9000`` where colons are in it.
        """
        plain = text.strip().lower()
        try:
            return cls(network=ip_network(plain, strict=False))
        except ValueError:
            found = _HOST.fullmatch(plain)
        name, port = (found[1] or found[2], int(found[3] or 0)) if found else ("", 0)
        try:
            return cls(network=ip_network(name, strict=False), port=port or None)
        except ValueError:
            if not found or found[1] or not all(map(_LABEL.fullmatch, name.split("."))) or port > 65_535:
                raise BadHost(
                    f"{text[:80]!r} is not a host: write crm.internal, 10.0.0.5:9000 or a network such as 10.0.0.0/8."
                ) from None
        return cls(host=name, port=port or None)

    def at(self, host: str, port: int) -> bool:
        """Return whether this host or IP address is meant, at this port."""
        if self.port not in (None, port):
            return False
        try:
            return self.network is not None and ip_address(host) in self.network
        except ValueError:
            return host == self.host


@dataclass(frozen=True, kw_only=True)
class Target:
    """A URL that passed the guard, parsed once, so that the connection goes to what was checked."""

    url: str  #: absolute, without fragment
    scheme: str
    host: str  #: lower case, ASCII; an IPv6 address without brackets
    port: int
    path: str  #: with its query, as in the request line
    own: bool  #: one of the operator's own sites

    @property
    def authority(self) -> str:
        """The host as in URLs and the Host header, with a port that is not the default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _default_port(self.scheme) else f"{host}:{self.port}"


@dataclass(frozen=True, kw_only=True)
class Guard:
    """The policy; by default it admits the public web only."""

    ports: frozenset[int] = WEB_PORTS
    #: of ``allowlist_entry``: (host, port) that may be at any address
    own_sites: frozenset[tuple[str, int]] = frozenset()
    egress: Egress = "all"
    #: the (host, port) of sources, the only others that may be reached unless ``egress`` is all
    sources: frozenset[tuple[str, int]] = frozenset()
    #: that may be reached besides
    allowed: tuple[AllowedHost, ...] = ()

    def check(self, url: str) -> Target:
        """Return the parsed URL if it may be requested; its host's addresses are checked by ``admit``.

        Raises Blocked: not http(s), credentials, or a port, an address or a name that is not the public web's; or
        ``egress`` forbids it.
        """
        target = _target(url)
        if self._is_own(target.host, target.port):
            return replace(target, own=True)
        by_address = any(each.network and each.port in (None, target.port) for each in self.allowed)
        if target.port not in self.ports and not by_address:
            raise NotPublic(f"{url!r} names port {target.port}: only {self._read_ports} are the public web's")
        try:
            ip_address(target.host)
        except ValueError:
            is_inner, what = not (by_address or _is_public_name(target.host)), "a host of an inner network"
        else:
            is_inner, what = not self.is_public(target.host), "an address that is not public"
        if is_inner:
            raise NotPublic(f"{url!r} names {what}")
        if not by_address:
            self._check_egress(target.host, target.port, url)
        return target

    def _check_egress(self, host: str, port: int, url: str) -> None:
        if self.egress != "all" and (host, port) not in self.sources:
            raise EgressForbidden(f"requests to {url}", self.egress)

    @property
    def _read_ports(self) -> str:
        return ", ".join(map(str, sorted(self.ports)))

    def admit(self, host: str, port: int, addresses: Sequence[str]) -> tuple[str, ...]:
        """Return the addresses to connect to for a host: all that its name resolved to.

        Raises NotPublic: an address is not public (one is enough for DNS rebinding), or the port is not allowed; or
        EgressForbidden.
        """
        # a name that resolves to the address of an own site is none: whoever owns the name would reach what is yours
        reached = [each for each in addresses if not any(one.at(each, port) for one in self.allowed)]
        others = [] if self._is_own(host, port) else reached
        if not others:
            return tuple(addresses)
        if port not in self.ports:
            raise NotPublic(f"{host} would be reached at port {port}: only {self._read_ports} are the public web's")
        self._check_egress(host, port, f"{host}:{port}")
        refused = [address for address in others if not self.is_public(address)]
        if refused:
            raise NotPublic(f"{host} resolves to {refused[0]}, which is not a public address")
        return tuple(addresses)

    def _is_own(self, host: str, port: int) -> bool:
        return (host, port) in self.own_sites or any(each.at(host, port) for each in self.allowed)

    def is_public(self, address: str) -> bool:
        """Return whether a text is an IP address of the public internet."""
        try:
            return _is_public(ip_address(address))
        except ValueError:
            return False


def allowlist_entry(url: str) -> tuple[str, int]:
    """Return the (host, port) of an operator's own site, for ``Guard.own_sites``; raises Blocked for no http(s) URL."""
    target = _target(url)
    return target.host, target.port


def _target(url: str) -> Target:
    """Parse the URL once; refuse what two parsers could read differently."""
    if _UNSAFE.search(url):
        raise Blocked(f"{url!r} has a space, control character or backslash in it: write it percent-encoded")
    try:
        parsed = parse(url)
    except BadUrl as error:
        raise Blocked(str(error)) from error
    if parsed.username or parsed.password:
        raise Blocked(f"A URL of {parsed.hostname} has a user name or password in it: take it out")
    start = f"{parsed.protocol}//{parsed.hostname}"
    as_written = url.lower().startswith(start) and url[len(start) : len(start) + 1] in ("", ":", "/", "?", "#")
    if parsed.host_type == HostType.IPV4 and not as_written:  # but in octal, as one number …: it serves to deceive
        raise Blocked(f"{url!r} hides the address {parsed.hostname}: write it in that form")
    parsed.hash = ""
    scheme = parsed.protocol.removesuffix(":")
    return Target(
        url=parsed.href,
        scheme=scheme,
        host=parsed.hostname.strip("[]"),
        port=int(parsed.port or _default_port(scheme)),
        path=parsed.pathname + parsed.search,
        own=False,
    )


def _is_public_name(host: str) -> bool:
    """Return whether a name could be in the public DNS: dotted, well formed, without a suffix of inner networks."""
    name = host.removesuffix(".")
    labels = name.split(".")
    return len(labels) > 1 and len(name) <= 253 and all(map(_LABEL.fullmatch, labels)) and not _INTERNAL.fullmatch(name)


def _is_public(ip: Address) -> bool:
    if isinstance(ip, IPv4Address):
        return not any(ip in network for network in DENIED_V4)
    if ip.scope_id:
        return False
    # a mapped, NAT64 or ISATAP address leads to an IPv4 address
    is_other_network = ip.ipv4_mapped is not None or ip in NAT64
    is_wrapped = is_other_network or (int(ip) >> 32) & 0xFFFFFFFF in ISATAP
    if is_wrapped and not _is_public(IPv4Address(int(ip) & 0xFFFFFFFF)):
        return False
    return is_other_network or (ip in GLOBAL_V6 and not any(ip in network for network in DENIED_V6))


def _default_port(scheme: str) -> int:
    return 443 if scheme == "https" else 80
