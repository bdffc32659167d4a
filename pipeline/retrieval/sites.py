"""Tell sites apart: whoever runs a site can write the same on all its pages, so a site has one vote."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from tld import get_fld
from tld.exceptions import TldIOError
from tld.utils import MozillaTLDSourceParser

from domain import Hit

#: other sites whose best hit is asked what it says
MAX_OTHERS = 6


class _InstalledList(MozillaTLDSourceParser):
    """The list of public suffixes that is installed with tld. If it is missing, none is downloaded."""

    @classmethod
    def update_tld_names(cls, fail_silently: bool = False) -> bool:
        raise TldIOError("the list of public suffixes is not installed: install tld again")


def site_of(url: str) -> str:
    """Return the registrable host of a URL. All of github.io and its like is one site: anybody can open many there.

    An address without a name, or with one of a single label, counts with its port.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    if "." not in host or host.rpartition(".")[2].isdigit():
        return parts.netloc.rpartition("@")[2] or url
    owned = get_fld(parts, fail_silently=True, search_private=False, parser_class=_InstalledList)
    return owned or ".".join(host.split(".")[-2:])


def best_of_other_sites(ranked: Sequence[Hit], read: Sequence[Hit]) -> list[Hit]:
    """Return the best of the ranked hits of each site that none of the hits read is from."""
    best: dict[str, Hit] = {}
    for hit in ranked:
        best.setdefault(site_of(hit.passage.url), hit)
    known = {site_of(hit.passage.url) for hit in read}
    return [hit for site, hit in best.items() if site not in known][:MAX_OTHERS]
