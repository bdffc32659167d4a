"""URLs with their escapes in one form: those of letters, digits and ``-._~`` undone, the others in upper case.

Where a row with the new form is there already, the old one stays; a page is gone then, as the other stands for it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

_ESCAPE = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")
_PLAIN = re.compile(r"[A-Za-z0-9._~-]")
#: table, column, the key of its rows, and the columns that are unique together with it; None: it is not unique
_COLUMNS = (
    ("pages", "url", ("id",), ()),
    ("pages", "canonical_url", ("id",), None),
    ("private_reads", "url", ("question_id", "url"), ("question_id",)),
    ("links", "url", ("id",), ("from_url",)),
    ("links", "from_url", ("id",), ("url",)),
    ("sources", "url", ("id",), ()),
    ("redirects", "url", ("url",), ()),
    ("redirects", "to_url", ("url",), None),
    ("site_reads", "url", ("id",), None),
    ("site_reads", "prefix", ("id",), None),
    ("page_checks", "reason", ("id",), None),  # "it leads to … now"
)
_LISTS = (("collections", "exclude_sites"), ("questions", "sites"))


def upgrade() -> None:
    for table, column, key, unique in _COLUMNS:
        _rewrite(table, column, key, unique)
    for table, column in _LISTS:
        rows = sa.table(table, sa.column("id"), sa.column(column, sa.JSON()))
        for row_id, sites in op.get_bind().execute(sa.select(rows.c.id, rows.c[column])).all():
            plain = [_plain(site) for site in sites or []]
            if plain != (sites or []):
                op.execute(rows.update().where(rows.c.id == row_id).values({column: plain}))


def _rewrite(name: str, column: str, key: Sequence[str], unique: Sequence[str] | None) -> None:
    others = {*key, *(unique or ()), "state", "gone_at"} - {column}
    table = sa.table(name, sa.column(column, sa.Text()), *map(sa.column, others))
    wanted = table.c[column].contains("%", autoescape=True), table.c[column].contains("http", autoescape=True)
    found = op.get_bind().execute(sa.select(*(table.c[each] for each in (column, *key))).where(*wanted)).all()
    changed = [
        {"new": new, **{f"key_{each}": value for each, value in zip(key, values, strict=True)}}
        for old, *values in found
        if (new := _plain(old)) != old
    ]
    if not changed:
        return
    here = [table.c[each] == sa.bindparam(f"key_{each}") for each in key]
    if unique is not None:
        other = table.alias()
        same = [other.c[column] == sa.bindparam("new"), *(other.c[each] == table.c[each] for each in unique)]
        here.append(~sa.exists().where(*same))
    values: Mapping[str, Any] = {column: sa.bindparam("new")}
    if (name, column) == ("pages", "url"):
        values = {**values, "state": "FETCHED"}  # its passages have the URL, too
    op.get_bind().execute(table.update().where(*here).values(values), changed)
    if (name, column) == ("pages", "url"):
        stays = [table.c.id == sa.bindparam("key_id"), table.c.url != sa.bindparam("new")]
        gone = {"gone_at": sa.column("checked_at"), "state": "FETCHED"}
        op.get_bind().execute(table.update().where(*stays).values(gone), changed)


def _plain(url: str) -> str:
    if not url.startswith(("http", "it leads to http")):
        return url
    return _ESCAPE.sub(lambda found: _undone(found[0]), url)


def _undone(escape: str) -> str:
    character = chr(int(escape[1:], 16))
    return character if _PLAIN.fullmatch(character) else escape.upper()
