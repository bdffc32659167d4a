"""Store the documents that programs push: each is a page, with an id and metadata that searches are filtered by."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, String, and_, bindparam, cast, insert, select
from sqlalchemy.orm import Session, load_only

from domain import PageText
from domain.document import DocumentState, PushedDocument
from domain.errors import WellreadError
from domain.filters import Condition, fits, parse, tags_of, values_of
from store.pages import pages
from store.pages.refresh_queue import NEVER
from store.sql.rows import add_missing, delete_rows, to_value, update_rows
from store.sql.tables import AnswerRow, DocumentRow, DocumentValueRow, EvidenceRow, IndexState, PageRow, QuestionRow

_STATES: Final[Mapping[str, DocumentState]] = {
    IndexState.FETCHED: "waiting",
    IndexState.INDEXED: "indexed",
    IndexState.FAILED: "failed",
}
#: options of a question whose answer may no longer fit once other fields of a cited document change
_FILTERS: Final = frozenset({"filters", "source_kinds", "published_after", "published_before"})


#: values that a range condition may mean in a search, which names each of them
MAX_RANGE: Final = 10_000


class AddressTaken(WellreadError):
    """Another page or document has the URL."""


class UnknownDocument(WellreadError):
    """There is no document with this id."""


class UnknownField(WellreadError):
    """No document has metadata of this name; the message has the names that there are."""


class RangeTooWide(WellreadError):
    """A range condition means more values than a search can name; the message says how many it may."""


@dataclass(frozen=True, kw_only=True)
class NewDocument:
    """A document as it is stored."""

    id: str
    url: str  #: its own, or its address
    host: str
    page: PageText
    pushed_hash: str  #: of all that was sent
    metadata: Mapping[str, Any]


def save(session: Session, new: NewDocument, now: datetime) -> tuple[int, bool]:
    """Save a document, or what it is now; return its page's id and whether that changed. Raises AddressTaken."""
    add_missing(session, DocumentRow, DocumentRow.id, id=new.id, fields={}, added_at=now, changed_at=now)
    row = session.get_one(DocumentRow, new.id, with_for_update=True, populate_existing=True)
    if row.page_id is not None and confirm(session, new.id, new.pushed_hash, now):
        return row.page_id, False
    check_address(session, new.url, new.id)
    if row.page_id is not None:
        before = session.execute(select(PageRow.url, PageRow.lang).where(PageRow.id == row.page_id)).one()
        update_rows(session, PageRow, PageRow.id == row.page_id, url=new.url, host=new.host)
        _outdate(session, row.page_id, now, only_filtered=tuple(before) == (new.url, new.page.lang))
    row.page_id, _ = pages.save(
        session, url=new.url, host=new.host, page=new.page, now=now, due_at=now + NEVER, tags=tags_of(new.metadata)
    )
    row.pushed_hash, row.changed_at = new.pushed_hash, now
    _set_metadata(session, row, new.metadata)
    return row.page_id, True


def add_known(session: Session, document_id: str, page_id: int, metadata: Mapping[str, Any], now: datetime) -> None:
    """Save that a page, which has the tags of this metadata, is this document."""
    row = DocumentRow(id=document_id, page_id=page_id, added_at=now, changed_at=now)
    session.add(row)
    session.flush()
    _set_metadata(session, row, metadata)


def _set_metadata(session: Session, row: DocumentRow, metadata: Mapping[str, Any]) -> None:
    row.fields = dict(metadata)
    delete_rows(session, DocumentValueRow, DocumentValueRow.document_id == row.id)
    values = [
        {"document_id": row.id, "name": name, "value": value, "number": number}
        for name, value, number in values_of(metadata)
    ]
    session.flush()
    if values:
        session.execute(insert(DocumentValueRow), values)


def check_address(session: Session, url: str, document_id: str) -> None:
    """Raise AddressTaken where a URL is that of a page of the web, or of another document."""
    found = select(PageRow.id, DocumentRow.id).outerjoin(DocumentRow, DocumentRow.page_id == PageRow.id)
    taken = session.execute(found.where(PageRow.url == url)).first()
    if taken is None or taken[1] == document_id:
        return
    if taken[1] is not None:
        raise AddressTaken(f"{url} is the URL of the document {taken[1]!r}: delete that one first, or use another URL.")
    raise AddressTaken(
        f"{url} was read from the web as page {taken[0]}: delete that page first, or push the document without `url`."
    )


def _outdate(session: Session, page_id: int, now: datetime, *, only_filtered: bool) -> None:
    """Mark the answers stale that cite a page, or only those found with filters, which it may no longer fit."""
    citing = (
        select(AnswerRow.id, QuestionRow.overrides)
        .join(EvidenceRow, EvidenceRow.answer_id == AnswerRow.id)
        .join(QuestionRow, QuestionRow.id == AnswerRow.question_id)
        .where(EvidenceRow.page_id == page_id, AnswerRow.stale_at.is_(None))
    )
    found = [answer_id for answer_id, own in session.execute(citing) if not only_filtered or _FILTERS & own.keys()]
    update_rows(session, AnswerRow, AnswerRow.id.in_(found), stale_at=now)


def confirm(session: Session, document_id: str, pushed_hash: str, now: datetime) -> bool:
    """Return whether a document is there as it was sent; if so, its page was seen now."""
    row = session.get(DocumentRow, document_id)
    if row is None or row.pushed_hash != pushed_hash:
        return False
    is_kept = (PageRow.id == row.page_id, PageRow.state != IndexState.FAILED)
    return update_rows(session, PageRow, *is_kept, checked_at=now) == 1


def find(session: Session, document_id: str) -> PushedDocument:
    """Return a document; raises UnknownDocument."""
    found = session.execute(_listed().where(DocumentRow.id == document_id)).first()
    if found is None:
        raise UnknownDocument(f"There is no document {document_id[:80]!r}.")
    return _document(*found)


def list_all(
    session: Session,
    filters: Iterable[str] = (),
    *,
    state: DocumentState | None = None,
    below: str = "",
    after: str = "",
    limit: int = 100,
) -> list[PushedDocument]:
    """Return the documents that fit all filters, by id: whose ids begin with ``below``, those behind ``after``.

    Raises UnknownField.
    """
    query = _listed().where(meant(session, filters), DocumentRow.id > after, DocumentRow.id.startswith(below))
    if state is not None:
        query = query.where(PageRow.state == next(name for name, known in _STATES.items() if known == state))
    return [_document(*row) for row in session.execute(query.order_by(DocumentRow.id).limit(limit))]


def has_value(session: Session, name: str) -> bool:
    """Return whether any document has metadata of this name that filters find."""
    return session.scalar(_HAS_VALUE, {"name": name}) is not None


_HAS_VALUE = select(DocumentValueRow.name).where(DocumentValueRow.name == bindparam("name")).limit(1)


def latest_with(session: Session, below: str, name: str, value: str) -> PushedDocument | None:
    """Return the document with this value that was changed last, of those whose ids begin with ``below``."""
    having = (DocumentValueRow.name == name, DocumentValueRow.value == value, DocumentRow.id.startswith(below))
    query = _listed().join(DocumentValueRow, DocumentValueRow.document_id == DocumentRow.id).where(*having)
    found = session.execute(query.order_by(DocumentRow.changed_at.desc(), DocumentRow.id).limit(1)).first()
    return _document(*found) if found else None


def pages_until(session: Session, below: str, name: str, most: str) -> list[int]:
    """Return the pages of the documents whose ids begin with ``below``, and whose value of this name is not greater."""
    having = (DocumentValueRow.name == name, DocumentValueRow.value <= most, DocumentRow.id.startswith(below))
    query = select(DocumentRow.page_id).join(DocumentValueRow, DocumentValueRow.document_id == DocumentRow.id)
    return [page_id for page_id in session.scalars(query.where(*having)) if page_id is not None]


def page_ids(session: Session, wanted: ColumnElement[bool], limit: int | None = None) -> list[int]:
    """Return the pages of the documents that are meant."""
    query = select(DocumentRow.page_id).where(wanted, DocumentRow.page_id.is_not(None)).order_by(DocumentRow.id)
    return [page_id for page_id in session.scalars(query.limit(limit)) if page_id is not None]


def meant(session: Session, filters: Iterable[str]) -> ColumnElement[bool]:
    """Return the condition on documents that filters are; raises UnknownField."""
    check_fields(session, filters)
    return and_(DocumentRow.id.is_not(None), *(_meant(session, parse(each)) for each in filters))


def _meant(session: Session, condition: Condition) -> ColumnElement[bool]:
    having = select(DocumentValueRow.document_id).where(_holds(session, condition))
    return DocumentRow.id.not_in(having) if condition.operator == "!=" else DocumentRow.id.in_(having)


def _holds(session: Session, condition: Condition) -> ColumnElement[bool]:
    """Return the condition on values that is asked for, or with ``!=`` its opposite."""
    row, number = DocumentValueRow, condition.number
    if condition.operator in ("=", "!="):
        return and_(row.name == condition.name, row.value.in_(condition.values))
    by_bytes = "C" if session.get_bind().dialect.name == "postgresql" else "BINARY"
    compared: Any = row.number if number is not None else cast(row.value, String).collate(by_bytes)
    right = number if number is not None else condition.values[0]
    return and_(row.name == condition.name, compared.op(condition.operator, is_comparison=True)(right))


def check_fields(session: Session, filters: Iterable[str]) -> None:
    """Raise UnknownField where a filter names what no document has."""
    for name in {parse(each).name: None for each in filters}:
        if not has_value(session, name):
            names = sorted(session.scalars(select(DocumentValueRow.name).distinct()))
            known = f"their names are {', '.join(names[:50])}" if names else "no document has any metadata"
            raise UnknownField(f"No document has metadata called {name!r}: {known}.")


def tags_for(session: Session, filters: Sequence[str]) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the tags of passages that fit filters: of each list one must be there, of the last none.

    Raises RangeTooWide.
    """
    any_tags, no_tags = list[tuple[str, ...]](), list[str]()
    for condition in map(parse, filters):
        values: Iterable[str] = condition.values
        if condition.operator not in ("=", "!="):
            held = select(DocumentValueRow.value).where(_holds(session, condition)).distinct()
            values = session.scalars(held.limit(MAX_RANGE + 1)).all()
            if len(values) > MAX_RANGE:
                raise RangeTooWide(
                    f"More than {MAX_RANGE:,} values of {condition.name!r} are {condition.operator} "
                    f"{condition.values[0]!r}: narrow the range, or store a coarser value too, such as the month."
                )
        tags = tuple(f"{condition.name}={value}" for value in values)
        if condition.operator == "!=":
            no_tags += tags
        else:
            any_tags.append(tags)
    return tuple(any_tags), tuple(no_tags)


def fitting(session: Session, page_ids: Collection[int], filters: Sequence[str]) -> set[int]:
    """Return which pages fit filters by the metadata that they have now; their passages may be yet to be written."""
    if not filters:
        return set(page_ids)
    found = session.execute(select(PageRow.id, PageRow.tags).where(PageRow.id.in_(page_ids)))
    return {page_id for page_id, tags in found if fits(tags, filters)}


def _listed() -> Select[Any, Any]:
    shown = (PageRow.url, PageRow.title, PageRow.lang, PageRow.published, PageRow.modified, PageRow.missing)
    joined = select(DocumentRow, PageRow).join(PageRow, PageRow.id == DocumentRow.page_id)
    return joined.options(load_only(*shown, PageRow.state, PageRow.error))


def _document(row: DocumentRow, page: PageRow) -> PushedDocument:
    state = _STATES[page.state]
    of_page = {name: getattr(page, name) for name in ("url", "title", "lang", "published", "modified")}
    return to_value(
        PushedDocument,
        row,
        **of_page,
        metadata=row.fields,
        state=state,
        reason=page.error if state == "failed" else None,
        page_id=page.id,
        missing=tuple(page.missing),
    )
