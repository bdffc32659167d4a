"""Decide what a question may see: what is public, and what is private where it was read for this question.

A private page becomes public when a source covers it, or when it is read for everyone; never the other way.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, false, or_, select, update
from sqlalchemy.orm import Session

from domain.site import SiteScope, of_either_scheme, prefixes_below
from store.pages import duplicates
from store.sql.rows import delete_rows, dialect_insert
from store.sql.tables import DocumentRow, LinkRow, PageRow, PageVersionRow, PrivateReadRow


def visible_to(question_id: str | None) -> ColumnElement[bool]:
    """Return the condition on pages that a question may see; None: on those that everyone may."""
    return _visible(PageRow, PageRow.url, question_id)


def is_pushed() -> ColumnElement[bool]:
    """Return the condition on pages that programs pushed as documents."""
    return select(DocumentRow.id).where(DocumentRow.page_id == PageRow.id).exists()


def links_visible_to(question_id: str | None) -> ColumnElement[bool]:
    """Return the condition on links that a question may see; None: on those that everyone may."""
    return _visible(LinkRow, LinkRow.from_url, question_id)


def private_pages(session: Session, question_id: str) -> list[int]:
    """Return the private pages that were read for a question."""
    read = PageRow.url.in_(_read_for(question_id))
    return list(session.scalars(select(PageRow.id).where(PageRow.private, read).order_by(PageRow.id)))


def grant(session: Session, question_id: str, urls: Collection[str]) -> bool:
    """Let a question see what is private at these URLs; return whether one of them is new to it."""
    values = [{"question_id": question_id, "url": url} for url in sorted(set(urls))]
    make = dialect_insert(session, PrivateReadRow).on_conflict_do_nothing()
    return bool(session.execute(make.returning(PrivateReadRow.url), values).all()) if values else False


def unread(session: Session, address: str) -> list[int]:
    """Return the private pages below an address that no question may see any more."""
    read_for = select(PrivateReadRow.url).where(PrivateReadRow.url == PageRow.url).exists()
    below = (PageRow.private, PageRow.url.startswith(address, autoescape=True), PageRow.deleted_at.is_(None))
    return list(session.scalars(select(PageRow.id).where(*below, ~read_for)))


def follow(session: Session, url: str, to_url: str) -> None:
    """Let the questions that may see a page see the one that it leads to now."""
    readers = session.scalars(select(PrivateReadRow.question_id).where(PrivateReadRow.url == url)).all()
    for question_id in readers:
        grant(session, question_id, [to_url])


def share(session: Session, page_id: int, now: datetime) -> bool:
    """Let a page serve every question; return whether it was private. It waits to be indexed as a public one.

    Only its present text: what it said before was read for its askers.
    """
    row = session.get_one(PageRow, page_id, with_for_update=True)
    if not row.private:
        return False
    row.private, row.shared_at = False, now
    delete_rows(session, PageVersionRow, PageVersionRow.page_id == page_id)
    session.flush()
    if row.gone_at is None:
        duplicates.resolve(session, row, now)
    duplicates.wait_for_index(row, now)
    session.flush()
    return True


def share_site(session: Session, site: SiteScope, now: datetime) -> list[int]:
    """Let what was read of a site, now a source, serve every question; return the pages, which wait to be indexed."""
    below = session.execute(select(PageRow.id, PageRow.url).where(PageRow.private, under(PageRow.url, [site]))).all()
    page_ids = [page_id for page_id, url in below if site.covers(url) and share(session, page_id, now)]
    session.execute(update(LinkRow).where(LinkRow.private, under(LinkRow.from_url, [site])).values(private=False))
    return page_ids


def under(column: Any, sites: Sequence[str | SiteScope]) -> ColumnElement[bool]:
    """Return :func:`domain.site.is_under`, or ``SiteScope.covers``, as a condition on a column of URLs."""
    return or_(false(), *(_within(column, site) for site in sites))


def _within(column: Any, site: str | SiteScope) -> ColumnElement[bool]:
    if isinstance(site, str):
        exact = of_either_scheme(site)
        return _begins(column, exact, [prefix for each in exact for prefix in prefixes_below(each)])
    inside = _begins(column, site.urls, site.prefixes)
    if site.include:
        inside &= _like(column, site.likes(site.include))
    if site.exclude:
        inside &= ~_like(column, site.likes(site.exclude))
    return or_(column.in_(sorted(site.exact)), inside)


def _begins(column: Any, exact: Sequence[str], prefixes: Sequence[str]) -> ColumnElement[bool]:
    return or_(column.in_(exact), *(column.startswith(prefix, autoescape=True) for prefix in prefixes))


def _like(column: Any, patterns: Sequence[str]) -> ColumnElement[bool]:
    return or_(*(column.like(pattern, escape="\\") for pattern in patterns))


def _visible(table: Any, url: Any, question_id: str | None) -> ColumnElement[bool]:
    read_for = select(PrivateReadRow.url).where(PrivateReadRow.question_id == question_id, PrivateReadRow.url == url)
    # not url.in_(…): SQLite would go through all that is public
    return ~table.private if question_id is None else or_(~table.private, read_for.exists())


def _read_for(question_id: str) -> Any:
    return select(PrivateReadRow.url).where(PrivateReadRow.question_id == question_id)
