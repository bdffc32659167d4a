"""Store pages: their text, their facts, and when they are due again."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, func, or_, select
from sqlalchemy.orm import Session

from domain import Block, CitedPage, Fact, Page, PageText, ReadOutcome, Validators
from domain.site import SiteScope
from store.pages import duplicates, history, refresh_queue
from store.pages.visibility import visible_to
from store.sql.rows import to_value
from store.sql.tables import FactRow, IndexState, PageRow
from text.names import name_key, names_of

#: a page is looked at again between these, sooner when it changes and later when it does not
MIN_INTERVAL_S, MAX_INTERVAL_S, FIRST_INTERVAL_S = 3_600.0, 90 * 86_400.0, 86_400.0
CHANGED_FACTOR, UNCHANGED_FACTOR = 0.8, 1.4

#: pages named in one search
MAX_CONFIRMED = 5_000


@dataclass(frozen=True, kw_only=True)
class PageState:
    """The state of a page that was read before."""

    id: int
    validators: Validators
    content_hash: str
    body_hash: str
    checked_at: datetime
    depth: int
    is_gone: bool
    private: bool = False  #: it serves only the questions that had it read
    is_document: bool = False  #: a program pushed it
    characters: int = 0  #: of its text
    interval_s: float = FIRST_INTERVAL_S
    missed_as: str = ""  #: why the last look did not read it
    missed_at: datetime | None = None  #: the first of the looks in a row that failed, or that found no page


def find(session: Session, url: str, *where: ColumnElement[bool]) -> PageState | None:
    """Return the state of the page with this canonical URL."""
    row = session.scalar(select(PageRow).where(PageRow.url == url, *where))
    if row is None:
        return None
    validators = Validators(etag=row.etag, last_modified=row.last_modified)
    about = {"is_gone": row.gone_at is not None, "is_document": bool(row.tags), "characters": len(row.text)}
    return to_value(PageState, row, validators=validators, **about)


def save(
    session: Session,
    *,
    url: str,
    host: str,
    page: PageText,
    now: datetime,
    content_hash: str = "",
    validators: Validators | None = None,
    depth: int = 0,
    body_hash: str = "",
    due_at: datetime | None = None,
    private: bool = False,
    tags: Sequence[str] = (),
) -> tuple[int, bool]:
    """Save a page's text; return its id and whether the text is new (then it waits to be embedded).

    A new page that is ``private`` serves only the questions that had it read (:mod:`store.pages.visibility`); none of
    its former texts is kept. One with ``tags`` is a pushed document (:mod:`store.documents`): nothing else changes it.

    A duplicate of another page is saved too, and the other page's id is returned. ``due_at`` is when its source's
    schedule has it read again; without one the page's own interval decides.
    """
    content_hash, validators = content_hash or page.content_hash, validators or Validators()
    row = session.scalar(select(PageRow).where(PageRow.url == url).with_for_update())
    if row is not None and row.tags and not tags:  # a crawl has come to it
        return row.id, False
    is_same = row is not None and row.content_hash == content_hash and row.gone_at is None
    read_at, changed = row.read_at if row and is_same else now, not is_same or bool(tags)
    if row is None:
        row = PageRow(url=url, host=host, generation=0, interval_s=FIRST_INTERVAL_S, depth=depth, state="", attempts=0)
        row.private = private
        session.add(row)
    else:
        row.interval_s = next_interval_s(row.interval_s, changed=changed)
    row.etag, row.last_modified, row.checked_at, row.gone_at = validators.etag, validators.last_modified, now, None
    row.missed_as, row.missed_at = "", None
    due_at = due_at or now + timedelta(seconds=row.interval_s)
    row.body_hash, row.next_due = body_hash, min(due_at, page.until or due_at)
    if changed:
        if row.generation and row.content_hash != content_hash and not row.private:
            history.keep(session, row)
        row.tags = list(tags)
        _set_text(row, page, content_hash, now)
        row.read_at = read_at  # with other metadata only, a document has no other text
        session.flush()
        _save_facts(session, row.id, page.facts)
    refresh_queue.host_is_due(session, row.host, row.next_due)
    represented_by = duplicates.resolve(session, row, now) if changed else row.duplicate_of or row.id
    return represented_by, changed and represented_by == row.id


def _set_text(row: PageRow, page: PageText, content_hash: str, now: datetime) -> None:
    row.title, row.text, row.lang, row.headings = page.title, page.text, page.lang, [list(h) for h in page.headings]
    row.blocks = [[block.kind, block.start, block.end] for block in page.blocks]
    row.places, row.missing = [list(place) for place in page.places], list(page.missing)
    row.published, row.modified, row.content_hash = page.published, page.modified, content_hash
    row.fetched_by = page.fetched_by
    row.is_hub, row.canonical_url = page.is_hub, page.canonical_url if page.canonical_url != row.url else ""
    row.band_0, row.band_1, row.band_2, row.band_3 = duplicates.bands(page.text) or (None,) * duplicates.BANDS
    row.generation += 1
    duplicates.wait_for_index(row, now)


def _save_facts(session: Session, page_id: int, facts: Sequence[Fact]) -> None:
    """Replace a page's facts, each to be found by its subject's shortest name: a title may name its site, too."""
    session.execute(delete(FactRow).where(FactRow.page_id == page_id))
    for fact in facts:
        name = min(names_of(fact.subject), key=len, default=name_key(fact.subject))
        session.add(FactRow(page_id=page_id, subject_folded=name, **asdict(fact)))
    session.flush()


def facts_of(session: Session, page_ids: Collection[int]) -> dict[int, list[Fact]]:
    """Return the facts that each page states."""
    found: dict[int, list[Fact]] = {}
    for row in session.scalars(select(FactRow).where(FactRow.page_id.in_(page_ids)).order_by(FactRow.id)):
        found.setdefault(row.page_id, []).append(to_value(Fact, row))
    return found


def mark_unchanged(
    session: Session,
    page_id: int,
    now: datetime,
    *,
    validators: Validators | None = None,
    body_hash: str = "",
    due_at: datetime | None = None,
) -> tuple[int, bool]:
    """Record that a page was checked and has the same text; return what ``save`` does.

    A validator that the answer lacks keeps its stored value. A duplicate takes the place of the page that stood for
    it, once that is gone or says something else.
    """
    row = session.get_one(PageRow, page_id, with_for_update=True)
    row.checked_at, row.missed_as, row.missed_at = now, "", None
    row.body_hash = body_hash or row.body_hash
    if validators is not None:
        row.etag, row.last_modified = validators.etag or row.etag, validators.last_modified or row.last_modified
    row.interval_s = next_interval_s(row.interval_s, changed=False)
    _plan(session, row, now, due_at)
    if row.duplicate_of is None:
        return row.id, False
    represented_by = duplicates.resolve(session, row, now)
    return represented_by, represented_by == row.id


def mark_gone(
    session: Session,
    page_id: int,
    now: datetime,
    *,
    due_at: datetime | None = None,
    reason: str = "",
    status: int | None = None,
) -> None:
    """Record that a page vanished: its text stays, its passages leave the knowledge base; it is looked at again.

    A ``reason``, with the HTTP ``status`` if there was one, is added to its history.
    """
    row = session.get_one(PageRow, page_id, with_for_update=True)
    if reason:
        gone, text = ReadOutcome.GONE, row.content_hash
        history.add(session, page_id, outcome=gone, status=status, content_hash=text, reason=reason, now=now)
    row.checked_at, row.missed_as, row.missed_at = now, "", None
    row.interval_s = next_interval_s(row.interval_s, changed=row.gone_at is None)
    _plan(session, row, now, due_at)
    if row.gone_at is None:
        row.gone_at = now
        duplicates.wait_for_index(row, now)
        for host in duplicates.make_due(session, page_id, now):
            refresh_queue.host_is_due(session, host, now)


def mark_missed(
    session: Session, page_id: int, now: datetime, outcome: ReadOutcome, *, due_at: datetime | None
) -> None:
    """Record that a page was not read this time; its last good text stays.

    Looks that find no page are in a row whatever each finds instead. A failure among them says nothing of the page.
    A failure is tried again after a minute, then after as long as it has lasted, at the latest when the page is due
    anyway. Without a schedule other outcomes are looked at again alike, after an hour at first. A page that was not
    asked for is planned only.
    """
    row = session.get_one(PageRow, page_id, with_for_update=True)
    if outcome == ReadOutcome.BLOCKED:
        _plan(session, row, now, due_at)
        return
    is_failure = outcome == ReadOutcome.FAILED
    if not (is_failure and row.missed_as):
        row.missed_at = now if row.missed_as in ("", ReadOutcome.FAILED) else row.missed_at
        row.missed_as = outcome
    latest = due_at or now + timedelta(seconds=row.interval_s)
    soon = now + max(now - (row.missed_at or now), timedelta(minutes=1) if is_failure else timedelta(hours=1))
    _plan(session, row, now, min(latest, soon) if is_failure or due_at is None else due_at)


def next_interval_s(interval_s: float, *, changed: bool) -> float:
    """Return the seconds until a page is read again: ×0.8 when it changed, ×1.4 when not, 1 h to 90 d."""
    return min(MAX_INTERVAL_S, max(MIN_INTERVAL_S, interval_s * (CHANGED_FACTOR if changed else UNCHANGED_FACTOR)))


def texts(session: Session, page_ids: Sequence[int]) -> dict[int, str]:
    """Return the stored text of pages, by id."""
    return dict(session.execute(_TEXTS, {"pages": page_ids}).all())


def read(session: Session, page_ids: Collection[int], question_id: str | None = None) -> dict[int, Page]:
    """Return the pages that a question may be answered from, by id; none that is gone, deleted or another's."""
    query = select(PageRow).where(PageRow.id.in_(page_ids), PageRow.gone_at.is_(None), visible_to(question_id))
    return {row.id: to_page(row) for row in session.scalars(query)}


def read_at(session: Session, sites: Sequence[SiteScope], question_id: str) -> list[Page]:
    """Return the front pages of sites that a question may be answered from, in their order."""
    order = {url: at for at, site in enumerate(sites) for url in site.exact}
    query = select(PageRow).where(PageRow.url.in_(order), PageRow.gone_at.is_(None), visible_to(question_id))
    return [to_page(row) for row in sorted(session.scalars(query), key=lambda row: order[row.url])]


def headings(session: Session, page_ids: Collection[int]) -> dict[int, list[tuple[int, str]]]:
    """Return the headings of pages with their offsets, by page id."""
    return {id: list(_at_offsets(of_page)) for id, of_page in session.execute(_HEADINGS, {"pages": [*page_ids]})}


def outlines(session: Session, most: int) -> list[tuple[str, list[tuple[int, str]], int, str]]:
    """Return title, headings, length and language of the indexed pages that came last and that all may see."""
    query = (
        select(PageRow.title, PageRow.headings, func.length(PageRow.text), PageRow.lang)
        .where(PageRow.state == IndexState.INDEXED, PageRow.gone_at.is_(None), PageRow.deleted_at.is_(None))
        .where(~PageRow.private, PageRow.duplicate_of.is_(None))
        .order_by(PageRow.id.desc())
        .limit(most)
    )
    return [(title, list(_at_offsets(of)), length, lang) for title, of, length, lang in session.execute(query)]


def cited(session: Session, page_ids: Collection[int]) -> dict[int, CitedPage]:
    """Return what citations say of pages, by id."""
    return {
        row.id: to_value(
            CitedPage,
            row,
            headings=_at_offsets(row.headings),
            places=_at_offsets(row.places),
            seen_at=row.checked_at if row.gone_at is None else row.read_at,
            missing=tuple(row.missing),
        )
        for row in session.execute(_CITED, {"pages": [*page_ids]})
    }


_CITED_OF = (PageRow.title, PageRow.published, PageRow.modified, PageRow.read_at, PageRow.checked_at, PageRow.gone_at)
_TEXTS, _HEADINGS, _CITED = (
    select(PageRow.id, *columns).where(PageRow.id.in_(bindparam("pages", expanding=True)))
    for columns in ([PageRow.text], [PageRow.headings], [*_CITED_OF, PageRow.headings, PageRow.places, PageRow.missing])
)


def confirmed_since(session: Session, since: datetime, question_id: str | None = None) -> list[int]:
    """Return pages read before ``since`` and found unchanged since, at most :data:`MAX_CONFIRMED`, the latest first."""
    query = select(PageRow.id).where(PageRow.read_at <= since, PageRow.checked_at > since, PageRow.gone_at.is_(None))
    query = query.where(visible_to(question_id))
    return list(session.scalars(query.order_by(PageRow.checked_at.desc()).limit(MAX_CONFIRMED)))


def read_urls(
    session: Session,
    hosts: Sequence[str],
    *,
    since: datetime | None = None,
    gone_since: datetime | None = None,
    question_id: str | None = None,
) -> set[str]:
    """Return the canonical URLs of the pages of these hosts that need not be read again.

    These are the pages that the last look read, with ``since`` only if it was after that, and those that are gone, with
    ``gone_since`` only if they were looked at after that.
    """
    known: ColumnElement[bool] = PageRow.gone_at.is_(None) & (PageRow.missed_as == "")
    gone: ColumnElement[bool] = PageRow.gone_at.is_not(None)
    if since is not None:
        known &= PageRow.checked_at >= since
    if gone_since is not None:
        gone &= PageRow.checked_at >= gone_since
    query = select(PageRow.url).where(PageRow.host.in_(hosts), visible_to(question_id))
    return set(session.scalars(query.where(known | gone)))


def count(session: Session) -> int:
    """Return how many pages serve every question, without duplicates and pages that are gone."""
    # by their indexes, as IS NOT NULL is not: those are few
    others = or_(PageRow.gone_at > datetime.min.replace(tzinfo=UTC), PageRow.duplicate_of > 0, PageRow.private)
    number = select(func.count()).select_from(PageRow)
    return (session.scalar(number) or 0) - (session.scalar(number.where(others)) or 0)


def to_page(row: PageRow) -> Page:
    """Return the row as a plain value."""
    return to_value(
        Page,
        row,
        headings=_at_offsets(row.headings),
        blocks=tuple(Block(kind=kind, start=int(start), end=int(end)) for kind, start, end in row.blocks),
        is_gone=row.gone_at is not None,
        is_duplicate=row.duplicate_of is not None,
        tags=tuple(row.tags),
    )


def _at_offsets(stored: Sequence[Any] | None) -> tuple[tuple[int, str], ...]:
    return tuple((int(at), str(words)) for at, words in stored or ())


def _plan(session: Session, row: PageRow, now: datetime, due_at: datetime | None) -> None:
    """Set when the page is due again: by its source's schedule, else by its own interval."""
    row.next_due = due_at or now + timedelta(seconds=row.interval_s)
    refresh_queue.host_is_due(session, row.host, row.next_due)
