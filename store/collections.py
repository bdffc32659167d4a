"""Store which collections there are. What is in one is stored elsewhere: in a database and a table of its own."""

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from domain.access import DEFAULT, MAIN, Collection, UnknownCollection, clean_name
from domain.errors import WellreadError
from store.sql import database as sql
from store.sql.rows import add_missing, to_value
from store.sql.tables import CollectionRow


class CollectionExists(WellreadError):
    """A collection has this name already."""


class CollectionStays(WellreadError):
    """The default collection cannot be deleted or weighed."""


def migrate_all(url: str) -> None:
    """Bring the tables of every collection to this version's schema."""
    sql.migrate(url)
    with closing(sql.Database(url)) as main, main.read() as session:
        ids = [collection.id for collection in list_all(session)[1:]]
    for collection_id in ids:
        sql.migrate(url, collection_id)


def check_free(session: Session, name: str) -> None:
    """Raise BadCollectionName or CollectionExists unless a collection can have this name."""
    clean = clean_name(name)
    if clean == DEFAULT or session.scalar(select(CollectionRow.id).where(CollectionRow.name == clean)) is not None:
        raise _exists(clean)


def add(
    session: Session, collection_id: str, name: str, now: datetime, *, exclude_sites: Sequence[str] = ()
) -> Collection:
    """Save a collection; raises BadCollectionName or CollectionExists."""
    clean = clean_name(name)
    values = {"id": collection_id, "created_at": now, "exclude_sites": list(exclude_sites)}
    if clean == DEFAULT or not add_missing(session, CollectionRow, CollectionRow.name, name=clean, **values):
        raise _exists(clean)
    return find(session, clean)


def leave_out(session: Session, collection_id: str, sites: Sequence[str]) -> None:
    """Leave these sites out of a collection, too."""
    row = session.get_one(CollectionRow, collection_id, with_for_update=True)
    row.exclude_sites = list(dict.fromkeys([*row.exclude_sites, *sites]))


def weigh(session: Session, name: str, weight: float) -> Collection:
    """Give a collection its share of the workers; raises UnknownCollection or CollectionStays."""
    found = find(session, name)
    if found.is_default:
        raise CollectionStays("The default collection has the weight 1: give others more or less than that.")
    row = session.get_one(CollectionRow, found.id)
    row.weight = weight
    return _to_collection(row)


def find(session: Session, name: str) -> Collection:
    """Return the collection with this name; raises UnknownCollection."""
    if name in ("", DEFAULT):
        return MAIN
    row = session.scalar(select(CollectionRow).where(CollectionRow.name == name.strip().lower()))
    if row is None or row.deleted_at is not None:
        raise unknown(name)
    return _to_collection(row)


def unknown(name: str) -> UnknownCollection:
    """Return the error for a collection that is not there, or that the asker may not open: both look alike."""
    return UnknownCollection(f"There is no collection {name[:80]!r}: `wellread collections list` shows yours.")


def list_all(session: Session) -> list[Collection]:
    """Return the collections, first the one that is always there, then by name."""
    query = select(CollectionRow).where(CollectionRow.deleted_at.is_(None)).order_by(CollectionRow.name)
    return [MAIN, *map(_to_collection, session.scalars(query))]


def _to_collection(row: CollectionRow) -> Collection:
    return to_value(Collection, row, exclude_sites=tuple(row.exclude_sites))


def _exists(name: str) -> CollectionExists:
    return CollectionExists(f"There is a collection {name!r} already; upper and lower case make no difference.")


def mark_deleted(session: Session, name: str, now: datetime) -> Collection:
    """Make a collection unknown from now on, so that its name is free and it can be erased.

    Raises UnknownCollection or CollectionStays.
    """
    found = find(session, name)
    if found.is_default:
        raise CollectionStays("The default collection stays: delete its sources, pages and questions instead.")
    row = session.get_one(CollectionRow, found.id)
    row.name, row.deleted_at, row.exclude_sites = f"deleted:{row.id}", now, []
    return found


def deleted(session: Session) -> list[tuple[str, datetime]]:
    """Return the ids of deleted collections whose rows are kept, and when each was deleted."""
    query = select(CollectionRow.id, CollectionRow.deleted_at).where(CollectionRow.deleted_at.is_not(None))
    return [(row.id, row.deleted_at) for row in session.execute(query)]


def forget(session: Session, collection_id: str) -> None:
    """Remove the row of a deleted collection that was erased."""
    row = session.get(CollectionRow, collection_id)
    if row is not None and row.deleted_at is not None:
        session.delete(row)
