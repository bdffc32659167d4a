"""Find pages of one host with the same or nearly the same text: one represents all, the others have no passages.

A page says itself which one that is (``rel=canonical``); else the shorter URL wins, else the page read first. Merging
what only looks alike would lose an answer, so without a page's own word its title and every number must be the same.
"""

import re
from datetime import datetime
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select, union, update
from sqlalchemy.orm import Session

from store.sql.tables import IndexState, PageRow

#: bits that may differ where one page names the other; pages that differ in what they say differ in more
DECLARED_NEAR = 7
#: pages looked at for one
_MOST = 50
_COLUMNS = (PageRow.band_0, PageRow.band_1, PageRow.band_2, PageRow.band_3)
_NUMBER = re.compile(r"\d+")
BANDS: Final = 4
NEAR: Final = 3  #: bits in which the fingerprints of near duplicates differ at most; more would miss the bands
LEAST: Final = 50  #: words; of a shorter text a fingerprint says little
_WORDS: Final = 3  #: of a shingle
_BITS: Final = 16  #: of a band
#: of a script without spaces, each character
_WORD: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
_MIX: Final = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def resolve(session: Session, row: PageRow, now: datetime) -> int:
    """Choose the page that represents this one and its duplicates, and save that; return that page's id.

    The page's text is stored. If its passages must be removed or written, its state becomes FETCHED.
    """
    others = _same(session, row)
    best = min([row, *others], key=lambda one: (_is_disowned(one, [row, *others]), len(one.url), one.id))
    had_passages = row.duplicate_of is None and row.generation > 1
    for other in (row, *others):
        if other is not best and other.duplicate_of != best.id:
            session.execute(update(PageRow).where(PageRow.duplicate_of == other.id).values(duplicate_of=best.id))
            other.duplicate_of = best.id
            wait_for_index(other, now)
    if best is row and row.duplicate_of is not None:
        row.duplicate_of = None
        wait_for_index(row, now)
    elif best is not row and not had_passages:
        row.state = IndexState.INDEXED
    session.flush()
    return best.id


def make_due(session: Session, page_id: int, now: datetime) -> list[str]:
    """Make the duplicates of a page that is gone due now, so that one takes its place; return their hosts."""
    duplicates = PageRow.duplicate_of == page_id
    session.execute(update(PageRow).where(duplicates).values(next_due=now))
    return list(session.scalars(select(PageRow.host).where(duplicates).distinct()))


def wait_for_index(row: PageRow, now: datetime) -> None:
    """Make a page wait until its passages are written, or removed, as its row says."""
    row.state, row.due_at, row.attempts, row.lease_by, row.lease_until = IndexState.FETCHED, now, 0, None, None


def _is_disowned(row: PageRow, among: list[PageRow]) -> bool:
    return any(other is not row and row.canonical_url == other.url for other in among)


def _same(session: Session, row: PageRow) -> list[PageRow]:
    """Return the pages of its host that are no duplicates and have the text of this one."""
    # a page that not everyone may see, or a pushed document, neither represents another nor yields to it
    if row.is_hub or row.private or row.tags:
        return []
    # what an index finds: by text, by a band of the fingerprint, by canonical URL
    own = _bands(row) or ()
    here = (PageRow.host == row.host, PageRow.id != row.id)
    wanted = [
        select(PageRow.id).where(*here, PageRow.content_hash == row.content_hash),
        select(PageRow.id).where(*here, PageRow.canonical_url == row.url),
        *(select(PageRow.id).where(*here, band == value) for band, value in zip(_COLUMNS, own, strict=False)),
    ]
    if row.canonical_url:
        wanted.append(select(PageRow.id).where(*here, PageRow.url == row.canonical_url))
    ids = session.scalars(union(*wanted)).all()
    query = select(PageRow).where(PageRow.id.in_(ids), PageRow.gone_at.is_(None), PageRow.duplicate_of.is_(None))
    alike = session.scalars(query.where(~PageRow.is_hub, ~PageRow.private).order_by(PageRow.id).limit(_MOST))
    return [other for other in alike if not other.tags and _says_the_same(row, other)]


def _bands(row: PageRow) -> tuple[int, ...] | None:
    found = (row.band_0, row.band_1, row.band_2, row.band_3)
    return None if None in found else found  # type: ignore[return-value]


def _says_the_same(one: PageRow, other: PageRow) -> bool:
    if one.content_hash == other.content_hash:
        return True
    ours, theirs = _bands(one), _bands(other)
    if ours is None or theirs is None:
        return False
    apart = distance(ours, theirs)
    if one.canonical_url == other.url or other.canonical_url == one.url:
        return apart <= DECLARED_NEAR
    return (
        apart <= NEAR
        and one.title.casefold() == other.title.casefold()
        and set(_NUMBER.findall(one.text)) == set(_NUMBER.findall(other.text))
    )


def bands(text: str) -> tuple[int, ...] | None:
    """Return the fingerprint of a text as its four bands, each in [0, 65535]; None where the text is too short."""
    words = _WORD.findall(text.casefold())
    if len(words) < LEAST:
        return None
    hashes = np.unique(_shingles(words))
    ones = np.unpackbits(hashes.astype(">u8").view(np.uint8).reshape(-1, 8), axis=1).sum(axis=0, dtype=np.int64)
    value = int.from_bytes(np.packbits(2 * ones > len(hashes)).tobytes(), "big")
    return tuple(value >> _BITS * at & 0xFFFF for at in range(BANDS))


def distance(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Count the bits in which two fingerprints differ, 0 to 64."""
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True))


def _shingles(words: list[str]) -> NDArray[np.uint64]:
    """A hash of each three words that follow each other."""
    known: dict[str, int] = {}
    for word in words:
        if word not in known:
            known[word] = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
    each = np.fromiter((known[word] for word in words), dtype=np.uint64, count=len(words))
    mixed = np.zeros(len(words) - _WORDS + 1, dtype=np.uint64)
    for at in range(_WORDS):
        mixed = _mixed(mixed * np.uint64(_MIX[1]) + each[at : len(words) - _WORDS + 1 + at])
    return mixed


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit over all (the finalizer of splitmix64)."""
    values = values + np.uint64(_MIX[0])
    values = (values ^ values >> np.uint64(30)) * np.uint64(_MIX[1])
    values = (values ^ values >> np.uint64(27)) * np.uint64(_MIX[2])
    return values ^ values >> np.uint64(31)
