"""Store the texts that a page had before its present one: the last few, as each was read."""

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from domain.site import PageVersion
from store.sql.tables import PageRow, PageVersionRow

#: former texts kept of a page; the oldest go first
MAX_KEPT = 5


def keep(session: Session, row: PageRow) -> None:
    """Keep a page's present text as a former one, before it gets another."""
    session.add(
        PageVersionRow(
            page_id=row.id,
            number=row.generation,
            title=row.title,
            text=row.text,
            content_hash=row.content_hash,
            published=row.published,
            read_at=row.read_at,
        )
    )
    session.flush()
    old = (PageVersionRow.page_id == row.id, PageVersionRow.number <= row.generation - MAX_KEPT)
    session.execute(delete(PageVersionRow).where(*old).execution_options(synchronize_session=False))


def of_page(session: Session, row: PageRow) -> list[PageVersion]:
    """Return the texts of a page that are kept, the present one first; what each said is left out."""
    query = select(PageVersionRow).where(PageVersionRow.page_id == row.id).order_by(PageVersionRow.number.desc())
    return [_version(row, row.generation), *(_version(kept, kept.number) for kept in session.scalars(query))]


def find(session: Session, row: PageRow, number: int) -> tuple[PageVersion, str] | None:
    """Return a version of a page with its text; None where it is not kept."""
    if number == row.generation:
        return _version(row, number), row.text
    found = session.get(PageVersionRow, (row.id, number))
    return None if found is None else (_version(found, number), found.text)


def _version(row: PageRow | PageVersionRow, number: int) -> PageVersion:
    return PageVersion(
        number=number,
        title=row.title,
        characters=len(row.text),
        content_hash=row.content_hash,
        published=row.published,
        read_at=row.read_at,
    )
