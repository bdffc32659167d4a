"""The facts pages state, in SQL: found by the name of what they are about."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from domain import Fact, StatedFact
from store.sql.tables import FactRow, PageRow
from text.names import name_key, names_of

#: facts looked at for one question; a name that more are about is a site's, not a thing's
MOST = 500


def save(session: Session, page_id: int, facts: Sequence[Fact]) -> None:
    """Make the page's facts exactly those given."""
    session.execute(delete(FactRow).where(FactRow.page_id == page_id))
    rows = [
        {
            "page_id": page_id,
            "subject": fact.subject,
            "subject_folded": name_of(fact.subject),
            "predicate": fact.predicate,
            "object": fact.object,
            "start": fact.start,
            "end": fact.end,
        }
        for fact in facts
    ]
    if rows:
        session.execute(insert(FactRow), rows)


def about(session: Session, names: Collection[str]) -> list[StatedFact]:
    """Return the facts whose subject bears one of these names; pages that are gone state none."""
    query = (
        select(FactRow)
        .join(PageRow, PageRow.id == FactRow.page_id)
        .where(FactRow.subject_folded.in_(names), PageRow.gone_at.is_(None))
        .where(PageRow.duplicate_of.is_(None))
        .order_by(FactRow.id)
        .limit(MOST)
    )
    return [StatedFact(fact=_fact(row), page_id=row.page_id) for row in session.scalars(query)]


def of_pages(session: Session, page_ids: Collection[int]) -> Mapping[int, list[Fact]]:
    """Return the facts of each page."""
    found: dict[int, list[Fact]] = {}
    for row in session.scalars(select(FactRow).where(FactRow.page_id.in_(page_ids)).order_by(FactRow.id)):
        found.setdefault(row.page_id, []).append(_fact(row))
    return found


def name_of(subject: str) -> str:
    """Return the shortest name a subject has: a page's title may carry its site's name or a parenthesis."""
    return min(names_of(subject), key=len, default=name_key(subject))


def _fact(row: FactRow) -> Fact:
    return Fact(subject=row.subject, predicate=row.predicate, object=row.object, start=row.start, end=row.end)
