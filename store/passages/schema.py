"""The columns of the passages table, passages to rows and back, and conditions in its SQL, with every value quoted."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from domain import Block, Passage, Scope
from domain.file import SCHEME
from domain.filters import DOCUMENT
from domain.site import PageKind, SiteScope, prefixes_below
from store.passages.errors import EmbedderMismatch, PassagesError
from text.terms import search_text

#: Columns that older tables lack, with the SQL of their value there: they are added when such a table is opened.
ADDED: Final = {
    "private": "false",
    "lead": "''",
    "sentences": "arrow_cast(NULL, 'Binary')",
    "tags": "arrow_cast(make_array(), 'List(Utf8)')",
}
#: Raised when the columns or the search terms change so that what is stored must be built again.
FORMAT: Final = "2"
#: What a passage is read from; the vector and the search text stay in the table.
COLUMNS: Final = (
    "id", "page_id", "ord", "url", "title", "lang", "text", "start", "end", "content_hash", "read_at", "published",
    "blocks", "private", "lead", "tags",
)  # fmt: skip

_BLOCKS: Final = pa.list_(pa.struct({"kind": pa.string(), "start": pa.int32(), "end": pa.int32()}))
_EMBEDDER: Final = b"wellread.embedder"
_DIMENSION: Final = b"wellread.dimension"
_FORMAT: Final = b"wellread.format"
# Without a declared key two concurrent merges can both insert a row.
_KEY: Final = {"lance-schema:unenforced-primary-key": "true"}
NUMBERS: Final = 384
_SCALE: Final = 127


def schema(embedder_id: str, dimension: int) -> pa.Schema:
    """Return the table's schema, which carries who made its vectors."""
    when = pa.timestamp("us", tz="UTC")
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False, metadata=_KEY),
            pa.field("page_id", pa.int64(), nullable=False),
            pa.field("ord", pa.int32(), nullable=False),
            pa.field("url", pa.string(), nullable=False),
            pa.field("title", pa.string(), nullable=False),
            pa.field("lang", pa.string(), nullable=False),
            pa.field("text", pa.string(), nullable=False),
            pa.field("search_text", pa.string(), nullable=False),
            pa.field("content_hash", pa.string(), nullable=False),
            pa.field("start", pa.int32(), nullable=False),
            pa.field("end", pa.int32(), nullable=False),
            pa.field("read_at", when),
            pa.field("published", when),
            pa.field("blocks", _BLOCKS, nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimension), nullable=False),
            pa.field("private", pa.bool_(), nullable=False),
            pa.field("lead", pa.string(), nullable=False),
            pa.field("sentences", pa.binary()),
            pa.field("tags", pa.list_(pa.string()), nullable=False),
        ],
        metadata={_EMBEDDER: embedder_id.encode(), _DIMENSION: str(dimension).encode(), _FORMAT: FORMAT.encode()},
    )


def check(found: pa.Schema, *, uri: str, embedder_id: str, dimension: int) -> None:
    """Raise unless the table was made by this embedder and in this format."""
    metadata = found.metadata or {}
    stored = (metadata.get(_EMBEDDER, b"?").decode(), metadata.get(_DIMENSION, b"?").decode())
    if stored != (embedder_id, str(dimension)):
        raise EmbedderMismatch(
            uri, stored=f"{stored[0]} ({stored[1]} numbers)", wanted=f"{embedder_id} ({dimension} numbers)"
        )
    form = metadata.get(_FORMAT, b"?").decode()
    if form != FORMAT:
        raise PassagesError(
            f"The passages in {uri} are stored in format {form}, this version writes format {FORMAT}. "
            "Run `wellread reindex` to build them again."
        )


def embedding_text(passage: Passage) -> str:
    """Return what is embedded for a passage: its title, which says what it is about, what leads to it, and its text."""
    return "\n".join(filter(None, (passage.title, passage.lead, passage.text)))


def rows(
    passages: Sequence[Passage],
    vectors: Mapping[str, NDArray[np.float32]],
    sentences: Mapping[str, bytes],
    columns: pa.Schema,
) -> pa.Table:
    """Return the passages as rows of ``columns``; ``vectors`` and packed ``sentences`` are by content hash."""
    dimension = columns.field("vector").type.list_size
    matrix = np.empty((len(passages), dimension), dtype=np.float32)
    for row, passage in enumerate(passages):
        vector = vectors[passage.content_hash]
        if vector.shape != (dimension,) or not np.isfinite(vector).all():
            given = f"a vector of shape {vector.shape}"
            raise PassagesError(f"Passage {passage.id} has {given} where {dimension} finite numbers are stored.")
        matrix[row] = vector
    made: dict[str, Callable[[Passage], Any]] = {
        "blocks": lambda p: [asdict(block) for block in p.blocks],
        "sentences": lambda p: sentences.get(p.content_hash),
        "search_text": lambda p: search_text(p.title, f"{p.lead}\n{p.text}" if p.lead else p.text, p.lang),
    }
    arrays: list[Any] = []
    for field in columns:
        if field.name == "vector":
            arrays.append(pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), dimension))
        else:
            value = made.get(field.name, attrgetter(field.name))
            arrays.append(pa.array(map(value, passages), field.type))
    return pa.Table.from_arrays(arrays, schema=columns)


def passage_of(row: Mapping[str, Any]) -> Passage:
    """Return the passage a row holds; other columns of the row are ignored."""
    values = {name: row[name] for name in COLUMNS}
    values |= {"blocks": tuple(Block(**block) for block in row["blocks"]), "tags": tuple(row["tags"])}
    return Passage(**values)


def pack(sentences: NDArray[np.float32]) -> bytes:
    """Return unit rows (sentences, 384) as bytes, one a number."""
    return np.rint(sentences * _SCALE).astype(np.int8).tobytes()


def cosines_of(vector: NDArray[np.float32], packed: bytes) -> NDArray[np.float32]:
    """Return the cosines of a question's vector and each of a passage's sentences (sentences,)."""
    rows = np.frombuffer(packed, dtype=np.int8).reshape(-1, NUMBERS).astype(np.float32)
    asked = vector[:NUMBERS]
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(asked)
    cosines: NDArray[np.float32] = rows @ asked / np.maximum(lengths, np.float32(1e-9))
    return cosines


#: the condition that keeps passages of private pages out
PUBLIC: Final = "private = false"


def scope_condition(scope: Scope) -> str:
    """Return the condition that keeps a search inside ``scope``, away from private pages that it does not name."""
    conditions = [f"private = false OR {one_of('page_id', scope.private_pages)}" if scope.private_pages else PUBLIC]
    if scope.sites:
        conditions.append(" OR ".join(map(_under, scope.sites)))
    conditions += [f"NOT ({_under(site)} OR {_served_under(site)})" for site in scope.exclude_sites]
    if scope.langs:
        conditions.append(one_of("lang", scope.langs))
    if scope.read_after:
        late = f"read_at > {_moment(scope.read_after)}"
        conditions.append(f"{late} OR {one_of('page_id', scope.confirmed)}" if scope.confirmed else late)
    for moment, comparison in (
        (scope.read_before, "read_at <"),
        (scope.published_after, "published >"),
        (scope.published_before, "published <"),
    ):
        if moment:
            conditions.append(f"{comparison} {_moment(moment)}")
    conditions += [_has_any(tags) for tags in scope.any_tags]
    if scope.no_tags:
        conditions.append(f"NOT {_has_any(scope.no_tags)}")
    if scope.kinds:
        conditions.append(" OR ".join(f"({_OF_KIND[kind]})" for kind in scope.kinds))
    return both(*conditions) if conditions[1:] else conditions[0]


def both(*conditions: str) -> str:
    """Join conditions that must all hold; empty ones are left out."""
    return " AND ".join(f"({condition})" for condition in conditions if condition)


def one_of(column: str, values: Iterable[str | int]) -> str:
    """Return the condition that ``column`` is one of ``values`` (at least one)."""
    return f"{column} IN ({', '.join(map(quoted, values))})"


def quoted(value: str | int) -> str:
    """Return a value as an SQL literal; nothing in a text can end it."""
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def _has_any(tags: Sequence[str]) -> str:
    return f"array_has_any(tags, [{', '.join(map(quoted, tags))}])" if tags else "false"


_IS_FILE: Final = f"starts_with(url, {quoted(SCHEME)})"
_IS_DOCUMENT: Final = _has_any([DOCUMENT])
_OF_KIND: Final[Mapping[PageKind, str]] = {
    "web": f"NOT {_IS_FILE} AND NOT {_IS_DOCUMENT}",
    "file": f"{_IS_FILE} AND NOT {_IS_DOCUMENT}",
    "document": _IS_DOCUMENT,
}


def _moment(given: datetime) -> str:
    moment = given if given.tzinfo else given.replace(tzinfo=UTC)
    stamp = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")
    return f"arrow_cast('{stamp}', 'Timestamp(Microsecond, Some(\"UTC\"))')"


def _under(site: str | SiteScope) -> str:
    """Match the URL itself and what lies below it, or what belongs to a site."""
    if isinstance(site, str):
        return f"url = {quoted(site)} OR {_begins(prefixes_below(site))}"
    inside = both(
        " OR ".join(filter(None, (one_of("url", site.urls), _begins(site.prefixes)))),
        _like(site.likes(site.include)),
        f"NOT ({_like(site.likes(site.exclude))})" if site.exclude else "",
    )
    return f"{one_of('url', sorted(site.exact))} OR ({inside})"


def _served_under(site: str) -> str:
    """Match what lies below the site only as it is served: see ``domain.site.as_served``."""
    served, start = "regexp_replace(url, '(/|%2F|%5C)+', '/', 'g')", site.replace("://", ":/", 1)
    below = f"{served} = {quoted(start)} OR {_begins(prefixes_below(start), served)}"
    return both("regexp_like(url, '[^:]//|%2F|%5C')", below)


def _begins(prefixes: Iterable[str], column: str = "url") -> str:
    return " OR ".join(f"starts_with({column}, {quoted(prefix)})" for prefix in prefixes)


def _like(patterns: Iterable[str]) -> str:
    return " OR ".join(f"url LIKE {quoted(pattern)} ESCAPE '\\'" for pattern in patterns)
