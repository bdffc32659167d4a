"""Store the links that were seen on pages, in sitemaps and in feeds."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from domain import LIST_KINDS, Link
from domain.site import may_lead
from store.crawl import sources
from store.pages.visibility import links_visible_to
from store.sql.rows import to_value, update_rows
from store.sql.tables import LinkRow

MAX_LINKS_PER_PAGE = 2_000


@dataclass(frozen=True, kw_only=True)
class KnownLink:
    """A link, how far from the crawl's beginning it was seen, and where."""

    link: Link
    depth: int
    from_url: str = ""


def save(
    session: Session,
    *,
    site: str,
    from_url: str,
    links: Sequence[Link],
    depth: int,
    now: datetime,
    private: bool = False,
) -> int:
    """Save the links of a page, sitemap or feed; return how many are new.

    ``private`` ones are seen by the questions alone that had ``from_url`` read, until it is read for everyone.
    """
    followed = {link.url: link for link in links[:MAX_LINKS_PER_PAGE] if not link.nofollow}
    known = set(session.scalars(select(LinkRow.url).where(LinkRow.from_url == from_url)))
    new = {url: link for url, link in followed.items() if url not in known}
    shared = 0
    if not private and followed:
        here = (LinkRow.from_url == from_url, LinkRow.url.in_(followed), LinkRow.private.is_(True))
        shared = update_rows(session, LinkRow, *here, private=False)
    seen: dict[str, Any] = {"site": site, "from_url": from_url, "depth": depth, "private": private, "seen_at": now}
    for url, link in new.items():
        session.add(LinkRow(url=url, text=link.text[:500], context=link.context[:500], origin=link.origin, **seen))
    return len(new) + shared


def of_sites(
    session: Session, sites: Sequence[str], *, question_id: str | None = None, limit: int = 50_000
) -> list[KnownLink]:
    """Return the links seen on these sites (origins) that a question may see, one per URL and text."""
    seen = (LinkRow.site.in_(sites), links_visible_to(question_id))
    query = select(LinkRow).where(*seen).order_by(LinkRow.id.desc()).limit(limit)
    return [to_value(KnownLink, row, link=to_value(Link, row)) for row in _followed(session, query)]


def of_page(session: Session, urls: Collection[str]) -> list[Link]:
    """Return the public links that were seen on the page with these URLs: its own, and those that led to it."""
    query = select(LinkRow).where(LinkRow.from_url.in_(urls), links_visible_to(None)).order_by(LinkRow.id)
    return [to_value(Link, row) for row in _followed(session, query)]


def lists_of(session: Session, site: str) -> list[Link]:
    """Return the public sitemaps and feeds that were seen on a site (its origin)."""
    seen = (LinkRow.site == site, LinkRow.origin.in_(LIST_KINDS), links_visible_to(None))
    return [to_value(Link, row) for row in _followed(session, select(LinkRow).where(*seen).order_by(LinkRow.id))]


def _followed(session: Session, query: Select[LinkRow]) -> list[LinkRow]:
    """Return the links that a query finds, without those of the web that lead into the operator's own sources."""
    own = sources.own_scopes(session)
    return [row for row in session.scalars(query) if may_lead(own, row.from_url, row.url)]
