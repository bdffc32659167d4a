"""Tell sites apart: whoever runs a site can write the same on all its pages, so a site has one vote."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

from domain import Hit

#: below a country's domain these are no owner's: example.co.uk is a site, co.uk is none
_SHARED = frozenset("ac co com edu go gob gouv gov mil ne net nom or org".split())
#: other sites whose best hit is asked what it says
MAX_OTHERS = 6


def site_of(url: str) -> str:
    """Return the registrable host of a URL: the domain that its owner registered.

    Hosts of one hosting service count as one site, since anybody can open many there. An address without a name
    counts with its port.
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    labels = host.split(".")
    if len(labels) < 2 or _is_address(host):
        return urlsplit(url).netloc.rpartition("@")[2] or url
    count = 3 if len(labels[-1]) == 2 and labels[-2] in _SHARED else 2
    return ".".join(labels[-count:])


def best_of_other_sites(ranked: Sequence[Hit], read: Sequence[Hit]) -> list[Hit]:
    """Return the best of the ranked hits of each site that none of the hits read is from."""
    best: dict[str, Hit] = {}
    for hit in ranked:
        best.setdefault(site_of(hit.passage.url), hit)
    known = {site_of(hit.passage.url) for hit in read}
    return [hit for site, hit in best.items() if site not in known][:MAX_OTHERS]


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
