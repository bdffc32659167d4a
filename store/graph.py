"""The graph of the knowledge base: the names of pages, the passages that mention them, and the facts that pages state.

Nodes are names (:mod:`text.names`) and pages; the edges are mentions. A page's mentions are replaced as its passages
are; those of a page that is gone vanish.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ColumnElement, FromClause, Row, and_, bindparam, delete, insert, select, text
from sqlalchemy.orm import Session

from domain import Fact, Hit, KnownName, Scope, StatedFact
from store.sql.database import Database
from store.sql.rows import dialect_insert, groups, to_value
from store.sql.tables import EntityRow, FactRow, LinkRow, MentionRow, PageRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from store.passages.table import Passages

#: the ``ord`` of the row for a page's own name
BEARS: Final = -1
#: mentions counted of a name: one with so many is everywhere
MAX_COUNTED: Final = 1_000
#: rows read for one question, whatever its passages mention
_MAX_ROWS: Final = 2_000
#: facts read for one question; a name with more facts is a site's, not a thing's
_MAX_FACTS: Final = 500
#: parameters of one statement
_GROUP: Final = 5_000
#: The inner limit keeps a name that is everywhere from being counted to its end. The number of pages is approximate:
#: the last page's id, which needs no count of rows.
_COUNT = text(
    "SELECT e.id, (SELECT count(*) FROM (SELECT 1 AS one FROM mentions m WHERE m.entity_id = e.id AND m.ord >= 0"
    " AND NOT m.private LIMIT :most) AS counted) AS mentions, (SELECT coalesce(max(p.id), 0) FROM pages p) AS among"
    " FROM entities e WHERE e.id IN :ids"
).bindparams(bindparam("ids", expanding=True))
#: the tables, and not the classes of their rows: so each of the seven statements of a question takes half as long
_NAMES, _HERE, _PAGES, _FACTS = (each.__table__ for each in (EntityRow, MentionRow, PageRow, FactRow))
_BORNE = _HERE.alias()


def _given(name: str) -> Any:
    return bindparam(name, expanding=True)


def _visible(mentions: FromClause) -> ColumnElement[bool]:
    return ~mentions.c.private | mentions.c.page_id.in_(_given("own"))


#: the names that pages bear: id, name, page id
_BEARING = (
    select(_NAMES.c.id, _NAMES.c.name, _HERE.c.page_id)
    .join(_HERE, and_(_HERE.c.entity_id == _NAMES.c.id, _HERE.c.ord == BEARS))
    .where(_visible(_HERE))
)
_BEARING_NAMES = _BEARING.where(_NAMES.c.name.in_(_given("names"))).limit(_MAX_ROWS)
_BEARING_OF_PAGES = _BEARING.where(_HERE.c.page_id.in_(_given("pages")))
#: the passages that mention names
_MENTIONING = (
    select(_NAMES.c.name, _HERE.c.page_id, _HERE.c.ord)
    .join(_HERE, and_(_HERE.c.entity_id == _NAMES.c.id, _HERE.c.ord != BEARS))
    .where(_NAMES.c.name.in_(_given("names")), _visible(_HERE))
)
#: the names of other pages that passages mention; by pairs of page and ``ord`` SQLite would read all mentions
_MENTIONED = (
    select(_NAMES.c.id, _NAMES.c.name, _BORNE.c.page_id, _HERE.c.page_id.label("in_page"), _HERE.c.ord)
    .join(_HERE, _HERE.c.entity_id == _NAMES.c.id)
    .join(_BORNE, and_(_BORNE.c.entity_id == _NAMES.c.id, _BORNE.c.ord == BEARS))
    .where(_HERE.c.page_id.in_(_given("pages")), _HERE.c.ord.in_(_given("ords")))
    .where(_BORNE.c.page_id != _HERE.c.page_id, _visible(_BORNE))
    .limit(4 * _MAX_ROWS)
)
#: "exists" lets the subjects come first: joined, SQLite begins with all the pages that are not gone
_IS_CURRENT = select(_PAGES.c.id).where(
    _PAGES.c.id == _FACTS.c.page_id,
    _PAGES.c.gone_at.is_(None),
    _PAGES.c.duplicate_of.is_(None),
    ~_PAGES.c.private | _PAGES.c.id.in_(_given("own")),
)
_STATED = (
    select(_FACTS)
    .where(_FACTS.c.subject_folded.in_(_given("names")), _IS_CURRENT.exists())
    .order_by(_FACTS.c.id)
    .limit(_MAX_FACTS)
)


@dataclass(frozen=True, kw_only=True)
class PageNames:
    """The names of one page."""

    bears: Sequence[str] = ()  #: the names its title gives it
    mentions: Mapping[int, Sequence[str]] = field(default_factory=dict)  #: by the ``ord`` of the passage
    #: possible names: a mention if a page has the name
    maybe: Mapping[int, Sequence[str]] = field(default_factory=dict)
    private: bool = False  #: they serve only the questions that had the page read


def replace(session: Session, pages: Mapping[int, PageNames]) -> None:
    """Make each page's names exactly those given; safe while others write."""
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


class GraphReader:
    """Reads the graph of one knowledge base: what is public, and what the given private pages say."""

    def __init__(self, database: Database, passages: "Passages", private_pages: Collection[int] = ()) -> None:
        self._database = database
        self._passages = passages
        self._own = list(private_pages)

    def pages_named(self, names: Collection[str]) -> Sequence[KnownName]:
        """Return those of the names that are names of pages."""
        rows: list[Row[Any]] = []
        with self._database.read() as session:
            for some in groups(list(names), _GROUP):
                rows += session.execute(_BEARING_NAMES, {"names": some, "own": self._own})
            return _named(session, rows)

    def mentioned_in(self, passage_ids: Collection[str]) -> Mapping[str, Sequence[KnownName]]:
        """Return the names of other pages that each passage mentions."""
        if not passage_ids:
            return {}
        split = (passage_id.rpartition("-") for passage_id in passage_ids)
        places = {(int(page_id), int(ord)) for page_id, _, ord in split}
        pages, ords = (list(set(each)) for each in zip(*places, strict=True))
        with self._database.read() as session:
            every = session.execute(_MENTIONED, {"pages": pages, "ords": ords, "own": self._own})
            rows = [row for row in every if (row.in_page, row.ord) in places]
            by_name = {named.name: named for named in _named(session, rows)}
        found: dict[str, dict[str, KnownName]] = {}
        for row in rows:
            found.setdefault(f"{row.in_page}-{row.ord}", {})[row.name] = by_name[row.name]
        return {passage: list(named.values()) for passage, named in found.items()}

    def mentioning(self, page_ids: Collection[int], *, most: int) -> Mapping[int, Sequence[KnownName]]:
        """Return the names of each page, with the passages of other pages that mention them.

        A name that more than ``most`` passages mention is left out: it is everywhere.
        """
        where: dict[str, list[tuple[int, int]]] = {}
        with self._database.read() as session:
            borne = session.execute(_BEARING_OF_PAGES, {"pages": list(page_ids), "own": self._own})
            names = {named.name: named for named in _named(session, [*borne]) if named.mentions <= most}
            if names:
                for row in session.execute(_MENTIONING, {"names": list(names), "own": self._own}):
                    where.setdefault(row.name, []).append((row.page_id, row.ord))
        found: dict[int, list[KnownName]] = {}
        for name, named in names.items():
            for owner in named.pages:
                others = tuple(f"{page}-{ord}" for page, ord in sorted(where.get(name, ())) if page != owner)
                if others:
                    found.setdefault(owner, []).append(dataclass_replace(named, passages=others))
        return found

    def links_between(self, urls: Collection[str]) -> Sequence[tuple[str, str]]:
        """Return the links among these pages: (from, to)."""
        query = select(LinkRow.from_url, LinkRow.url).where(LinkRow.from_url.in_(urls), LinkRow.url.in_(urls))
        with self._database.read() as session:
            return [(row.from_url, row.url) for row in session.execute(query) if row.from_url != row.url]

    def facts_about(self, names: Collection[str]) -> Sequence[StatedFact]:
        """Return the facts whose subject has one of these names, but those of pages that are gone or duplicates."""
        if not names:
            return []
        with self._database.read() as session:
            rows = session.execute(_STATED, {"names": list(names), "own": self._own}).all()
        return [StatedFact(fact=to_value(Fact, row), page_id=row.page_id) for row in rows]

    def nearest(
        self, vectors: "NDArray[np.float32]", *, page_ids: Collection[int], ids: Collection[str], k: int, scope: Scope
    ) -> list[Hit]:
        """Return of the passages on these pages, or with these ids, the k most similar to the first row."""
        return self._passages.nearest(vectors, page_ids=page_ids, ids=ids, k=k, scope=scope)


def _named(session: Session, rows: Sequence[Any]) -> list[KnownName]:
    """Return the names of rows (id, name, page_id), each with its number of mentions."""
    pages: dict[tuple[int, str], dict[int, None]] = {}
    for row in rows:
        pages.setdefault((row.id, row.name), {}).setdefault(row.page_id)
    if not pages:
        return []
    counted = session.execute(_COUNT, {"ids": [id for id, _ in pages], "most": MAX_COUNTED})
    counts = {row.id: row for row in counted}
    return [
        KnownName(name=name, pages=tuple(bearing), mentions=counts[id].mentions, among=counts[id].among)
        for (id, name), bearing in pages.items()
    ]


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
