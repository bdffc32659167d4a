"""Store the graph of the knowledge base: the names of pages and the passages that mention them.

Nodes are names (:mod:`text.names`) and pages; the edges are mentions. A page's mentions are replaced as its passages
are; those of a page that is gone vanish.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from typing import Any, Final

from sqlalchemy import Row, and_, bindparam, delete, insert, or_, select, text
from sqlalchemy.orm import Session, aliased

from domain import KnownName
from store.passages.filters import groups
from store.sql.rows import dialect_insert
from store.sql.tables import EntityRow, LinkRow, MentionRow

#: the ``ord`` of the row for a page's own name
BEARS: Final = -1
#: mentions counted of a name: one with so many is everywhere
MAX_COUNTED: Final = 1_000
#: rows read for one question, whatever its passages mention
_MAX_ROWS: Final = 2_000
#: parameters of one statement
_GROUP: Final = 5_000
#: The inner limit keeps a name that is everywhere from being counted to its end. The number of pages is approximate:
#: the last page's id, which needs no count of rows.
_COUNT = text(
    "SELECT e.id, (SELECT count(*) FROM (SELECT 1 AS one FROM mentions m WHERE m.entity_id = e.id AND m.ord >= 0"
    " AND NOT m.private LIMIT :most) AS counted) AS mentions, (SELECT coalesce(max(p.id), 0) FROM pages p) AS among"
    " FROM entities e WHERE e.id IN :ids"
).bindparams(bindparam("ids", expanding=True))


@dataclass(frozen=True, kw_only=True)
class PageNames:
    """The names of one page."""

    bears: Sequence[str] = ()  #: the names its title gives it
    mentions: Mapping[int, Sequence[str]] = field(default_factory=dict)  #: by the ``ord`` of the passage
    #: possible names: a mention if a page has the name
    maybe: Mapping[int, Sequence[str]] = field(default_factory=dict)
    private: bool = False  #: they serve only the questions that had the page read


def replace(session: Session, pages: Mapping[int, PageNames]) -> None:
    """Make each page's names exactly those given; safe beside other writers."""
    if not pages:
        return
    session.execute(delete(MentionRow).where(MentionRow.page_id.in_(pages)))
    rows = _rows(session, pages)
    ids = _ids(session, {name for name, _, _ in rows})
    values = [
        {"entity_id": ids[name], "ord": ord, "page_id": page_id, "private": pages[page_id].private}
        for name, ord, page_id in rows
    ]
    if values:
        session.execute(insert(MentionRow), values)


def pages_named(session: Session, names: Collection[str], private_pages: Collection[int] = ()) -> list[KnownName]:
    """Return those of ``names`` that are names of pages, here and below: of public ones and of ``private_pages``."""
    query = (
        select(EntityRow.id, EntityRow.name, MentionRow.page_id)
        .join(MentionRow, and_(MentionRow.entity_id == EntityRow.id, MentionRow.ord == BEARS))
        .where(_visible(MentionRow, private_pages))
        .limit(_MAX_ROWS)
    )
    rows: list[Row[Any]] = []
    for some in groups(list(names), _GROUP):
        rows += session.execute(query.where(EntityRow.name.in_(some)))
    return _named(session, rows)


def mentioned_in(
    session: Session, passages: Collection[tuple[int, int]], private_pages: Collection[int] = ()
) -> dict[tuple[int, int], list[KnownName]]:
    """Return for each passage (page id, ord) the names of other pages that it mentions."""
    if not passages:
        return {}
    borne = aliased(MentionRow)
    here = or_(*(and_(MentionRow.page_id == page_id, MentionRow.ord == ord) for page_id, ord in passages))
    query = (
        select(EntityRow.id, EntityRow.name, borne.page_id, MentionRow.page_id.label("in_page"), MentionRow.ord)
        .join(MentionRow, MentionRow.entity_id == EntityRow.id)
        .join(borne, and_(borne.entity_id == EntityRow.id, borne.ord == BEARS))
        .where(here, borne.page_id != MentionRow.page_id, _visible(borne, private_pages))
        .limit(_MAX_ROWS)
    )
    rows: list[Row[Any]] = list(session.execute(query))
    by_name = {named.name: named for named in _named(session, rows)}
    found: dict[tuple[int, int], dict[str, KnownName]] = {}
    for row in rows:
        found.setdefault((row.in_page, row.ord), {})[row.name] = by_name[row.name]
    return {passage: list(named.values()) for passage, named in found.items()}


def mentioning(
    session: Session, page_ids: Collection[int], *, most: int, private_pages: Collection[int] = ()
) -> dict[int, list[KnownName]]:
    """Return the names of each page, with the passages of other pages that mention them.

    A name that more than ``most`` passages mention is left out: it is everywhere.
    """
    borne = select(EntityRow.id, EntityRow.name, MentionRow.page_id).join(
        MentionRow, and_(MentionRow.entity_id == EntityRow.id, MentionRow.ord == BEARS)
    )
    here = (MentionRow.page_id.in_(page_ids), _visible(MentionRow, private_pages))
    names = {
        named.name: named
        for named in _named(session, list(session.execute(borne.where(*here))))
        if named.mentions <= most
    }
    rare = (
        select(EntityRow.name, MentionRow.page_id, MentionRow.ord)
        .join(MentionRow, and_(MentionRow.entity_id == EntityRow.id, MentionRow.ord != BEARS))
        .where(EntityRow.name.in_(names), _visible(MentionRow, private_pages))
    )
    where: dict[str, list[tuple[int, int]]] = {}
    for row in session.execute(rare):
        where.setdefault(row.name, []).append((row.page_id, row.ord))
    found: dict[int, list[KnownName]] = {}
    for name, named in names.items():
        for owner in named.pages:
            others = tuple(f"{page}-{ord}" for page, ord in sorted(where.get(name, ())) if page != owner)
            if others:
                found.setdefault(owner, []).append(dataclass_replace(named, passages=others))
    return found


def links_between(session: Session, urls: Collection[str]) -> list[tuple[str, str]]:
    """Return the links among these pages: (from, to)."""
    query = select(LinkRow.from_url, LinkRow.url).where(LinkRow.from_url.in_(urls), LinkRow.url.in_(urls))
    return [(row.from_url, row.url) for row in session.execute(query) if row.from_url != row.url]


def _named(session: Session, rows: Sequence[Row[Any]]) -> list[KnownName]:
    """Return the names of rows (id, name, page_id), each with its number of mentions."""
    pages: dict[tuple[int, str], dict[int, None]] = {}
    for row in rows:
        pages.setdefault((row.id, row.name), {}).setdefault(row.page_id)
    if not pages:
        return []
    counts = _counts(session, [id for id, _ in pages])
    return [
        KnownName(name=name, pages=tuple(bearing), mentions=counts[id].mentions, among=counts[id].among)
        for (id, name), bearing in pages.items()
    ]


def _visible(mentions: Any, private_pages: Collection[int]) -> Any:
    return or_(~mentions.private, mentions.page_id.in_(private_pages)) if private_pages else ~mentions.private


def _counts(session: Session, ids: Collection[int]) -> dict[int, Row[Any]]:
    """Return for each entity how many passages mention it, and among how many pages."""
    return {row.id: row for row in session.execute(_COUNT, {"ids": list(ids), "most": MAX_COUNTED})}


def _rows(session: Session, pages: Mapping[int, PageNames]) -> list[tuple[str, int, int]]:
    """Return the mentions to store: (name, ord, page id), each once."""
    borne = {name for names in pages.values() if not names.private for name in names.bears}
    maybe = {name for names in pages.values() for some in names.maybe.values() for name in some}
    known = borne | {name for some in groups(sorted(maybe - borne), _GROUP) for name in _borne(session, some)}
    rows: dict[tuple[str, int, int], None] = {}
    for page_id, names in pages.items():
        rows.update(dict.fromkeys((name, BEARS, page_id) for name in names.bears))
        for ord, mentioned in names.mentions.items():
            rows.update(dict.fromkeys((name, ord, page_id) for name in mentioned))
        for ord, some in names.maybe.items():
            rows.update(dict.fromkeys((name, ord, page_id) for name in some if name in known or name in names.bears))
    return list(rows)


def _borne(session: Session, names: Sequence[str]) -> Iterable[str]:
    """Return those of the names that public pages bear."""
    bears = select(MentionRow.page_id).where(
        MentionRow.entity_id == EntityRow.id, MentionRow.ord == BEARS, ~MentionRow.private
    )
    return session.scalars(select(EntityRow.name).where(EntityRow.name.in_(names), bears.exists()))


def _ids(session: Session, names: Collection[str]) -> dict[str, int]:
    """Return the ids of the entities with these names; add those that are missing."""
    found: dict[str, int] = {}
    # sorted: two writers that meet lock the same rows in the same order
    for some in groups(sorted(names), _GROUP):
        make = dialect_insert(session, EntityRow).on_conflict_do_nothing(index_elements=[EntityRow.name])
        session.execute(make, [{"name": name} for name in some])
        query = select(EntityRow.name, EntityRow.id).where(EntityRow.name.in_(some))
        found.update({row.name: row.id for row in session.execute(query)})
    return found
