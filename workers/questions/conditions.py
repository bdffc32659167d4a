"""What pages must be to be read, or quoted, for a question: not of a site that is left out, and new enough."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from crawler import urls
from crawler.search.engine import DAYS, Recency
from domain import Question
from domain.errors import WellreadError
from domain.options import Overrides
from workers.services import Services


class BadExclusion(WellreadError):
    """A site that is to be left out is no URL."""


_NONE: Final = Overrides()


def left_out(services: Services, own: Overrides = _NONE) -> tuple[str, ...]:
    """Return the sites that are never read or quoted: of the settings, the collection and the question."""
    for_good = (*services.settings.exclude_sites, *services.collection.exclude_sites)
    return tuple(dict.fromkeys((*for_good, *own.exclude_sites)))


def may_read_the_web(services: Services, question: Question) -> bool:
    """Return whether the web may be read for a question: neither its asker nor the operator forbids it."""
    return question.crawl_enabled and services.settings.crawl_enabled


def clean_sites(sites: Sequence[str]) -> tuple[str, ...]:
    """Return the canonical URLs of sites that are to be left out; raises BadExclusion."""
    try:
        return tuple(map(urls.typed, sites))
    except urls.BadUrl as error:
        raise BadExclusion(f"A site to leave out cannot be read: {error}") from error


def recency(own: Overrides, now: datetime) -> Recency | None:
    """Return the smallest span that engines know and that reaches back far enough; None: none does, or none must."""
    since = own.published_after
    if since is None:
        return None
    return next((span for span, days in DAYS.items() if (now - since).days < days), None)
