"""Store the facts that pages state; find them by the name of their subject."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict

from sqlalchemy import delete, insert, or_, select
from sqlalchemy.orm import Session

from domain import Fact, StatedFact
from store.sql.rows import to_value
from store.sql.tables import FactRow, PageRow
from text.names import name_key, names_of

#: facts read for one question; a name with more facts is a site's, not a thing's
MOST = 500


def save(session: Session, page_id: int, facts: Sequence[Fact]) -> None:
    """Replace the page's facts by those given."""
    session.execute(delete(FactRow).where(FactRow.page_id == page_id))
    rows = [{**asdict(fact), "page_id": page_id, "subject_folded": name_of(fact.subject)} for fact in facts]
    if rows:
        session.execute(insert(FactRow), rows)


def about(session: Session, names: Collection[str], private_pages: Collection[int] = ()) -> list[StatedFact]:
    """Return the facts whose subject has one of these names, without those of pages that are gone or duplicates.

    Of private pages only those in ``private_pages`` are asked.
    """
    # "exists" lets the names come first: joined, SQLite begins with all the pages that are not gone
    stands = select(PageRow.id).where(
        PageRow.id == FactRow.page_id,
        PageRow.gone_at.is_(None),
        PageRow.duplicate_of.is_(None),
        or_(~PageRow.private, PageRow.id.in_(private_pages)),
    )
    query = select(FactRow).where(FactRow.subject_folded.in_(names), stands.exists()).order_by(FactRow.id).limit(MOST)
    return [StatedFact(fact=to_value(Fact, row), page_id=row.page_id) for row in session.scalars(query)]


def of_pages(session: Session, page_ids: Collection[int]) -> Mapping[int, list[Fact]]:
    """Return the facts of each page."""
    found: dict[int, list[Fact]] = {}
    for row in session.scalars(select(FactRow).where(FactRow.page_id.in_(page_ids)).order_by(FactRow.id)):
        found.setdefault(row.page_id, []).append(to_value(Fact, row))
    return found


def name_of(subject: str) -> str:
    """Return the subject's shortest name: a page's title may also contain its site's name or a parenthesis."""
    return min(names_of(subject), key=len, default=name_key(subject))
