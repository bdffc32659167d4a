"""Store the links that were seen on pages, in sitemaps and in feeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from domain import LIST_KINDS, Link
from store.sql.tables import LinkRow

MAX_LINKS_PER_PAGE = 2_000


@dataclass(frozen=True, kw_only=True)
class KnownLink:
    """A link, how far from the crawl's beginning it was seen, and where."""

    link: Link
    depth: int
    from_url: str = ""


def save(session: Session, *, site: str, from_url: str, links: Sequence[Link], depth: int, now: datetime) -> int:
    """Save the links of a page, sitemap or feed; return how many are new."""
    known = set(session.scalars(select(LinkRow.url).where(LinkRow.from_url == from_url)))
    new = {link.url: link for link in links[:MAX_LINKS_PER_PAGE] if link.url not in known and not link.nofollow}
    session.add_all(
        LinkRow(
            site=site,
            from_url=from_url,
            url=link.url,
            text=link.text[:500],
            context=link.context[:500],
            origin=link.origin,
            depth=depth,
            seen_at=now,
        )
        for link in new.values()
    )
    return len(new)


def of_sites(session: Session, sites: Sequence[str], limit: int = 50_000) -> list[KnownLink]:
    """Return the links seen on these sites (origins), one per URL and text."""
    query = select(LinkRow).where(LinkRow.site.in_(sites)).order_by(LinkRow.id.desc()).limit(limit)
    return [KnownLink(link=_link(row), depth=row.depth, from_url=row.from_url) for row in session.scalars(query)]


def of_page(session: Session, url: str) -> list[Link]:
    """Return the links that were seen on the page with this URL."""
    query = select(LinkRow).where(LinkRow.from_url == url).order_by(LinkRow.id)
    return [_link(row) for row in session.scalars(query)]


def lists_of(session: Session, site: str) -> list[Link]:
    """Return the sitemaps and feeds that were seen on a site (its origin)."""
    query = select(LinkRow).where(LinkRow.site == site, LinkRow.origin.in_(LIST_KINDS)).order_by(LinkRow.id)
    return [_link(row) for row in session.scalars(query)]


def _link(row: LinkRow) -> Link:
    return Link(url=row.url, text=row.text, context=row.context, origin=row.origin)
