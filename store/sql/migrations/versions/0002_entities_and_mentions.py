"""Entities and mentions; facts' subjects under the spelling by which names compare.

Pages indexed before wait to be indexed again, which writes what they mention; their vectors are kept.
"""

import html
import re
import unicodedata
from datetime import UTC, datetime
from itertools import pairwise

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "entities",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entities")),
        sa.UniqueConstraint("name", name=op.f("uq_entities_name")),
    )
    op.create_table(
        "mentions",
        sa.Column("entity_id", sa.Integer(), nullable=False),
        sa.Column("ord", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["entity_id"], ["entities.id"], name=op.f("fk_mentions_entity_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["page_id"], ["pages.id"], name=op.f("fk_mentions_page_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("entity_id", "ord", "page_id", name=op.f("pk_mentions")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_mentions_page", "mentions", ["page_id", "ord"], unique=False)
    _refold_subjects()
    _index_again()


def downgrade() -> None:
    op.drop_index("ix_mentions_page", table_name="mentions")
    op.drop_table("mentions")
    op.drop_table("entities")


def _refold_subjects() -> None:
    facts = sa.table("facts", sa.column("id"), sa.column("subject"), sa.column("subject_folded"))
    connection = op.get_bind()
    found = connection.execute(sa.select(facts.c.id, facts.c.subject)).all()
    if found:
        renamed = sa.update(facts).where(facts.c.id == sa.bindparam("fact")).values(subject_folded=sa.bindparam("name"))
        connection.execute(renamed, [{"fact": row.id, "name": _name_of(row.subject)} for row in found])


def _index_again() -> None:
    moment = sa.column("due_at", sa.DateTime(timezone=True))
    pages = sa.table("pages", sa.column("state"), sa.column("attempts"), moment)
    indexed = sa.update(pages).where(pages.c.state == "INDEXED")
    op.execute(indexed.values(state="FETCHED", attempts=0, due_at=datetime.now(UTC)))


# A copy of how names compared when this revision was written: a change of text.names must not change this migration.

_MAX_TERM_CHARS, _MAX_WORDS, _MAX_CHARS = 64, 8, 120
_ARTICLES = frozenset("the a an der die das ein eine le la les l un une el los las una il lo".split())
_TOKEN = re.compile(r"[^\W_]+(?:[’'.-]?[^\W_]+)*")
_PARENTHESIS = re.compile(r"\s*[(（\[][^)）\]]*[)）\]]\s*$")
_SEGMENT = re.compile(r"\s+[|·•»›–—-]\s+|\s*[|›»]\s*")
#: Letters that no Unicode decomposition takes to their plain form.
_LETTERS = str.maketrans(
    {"ø": "o", "đ": "d", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ـ": None}
)
# Marks fold away only where they decorate a letter (Latin, Greek, Arabic, Hebrew): in Russian (й), Japanese (が)
# or Hindi they make another letter.
_DECORATION = re.compile("(?<=[a-zα-ω])[\u0300-\u036f]+|(?<=е)\u0308|[\u0591-\u05bd\u05bf-\u05c7\u064b-\u0655\u0670]")

#: Vowel signs and other marks that belong to a word although ``\w`` leaves them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d"
    "\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b4d\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83"
    "\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0d81-\u0d83\u0dca-\u0ddf"
)
_UNSPACED = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003fffd\u1100-\u11ff\uac00-\ud7a3"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
)
_SPACELESS_MARKS = (
    "\u3099\u309a\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
    "\u102b-\u103e\u1056-\u1059\u17b4-\u17d3"
)
_CLUSTER = re.compile(f"[^{_SPACELESS_MARKS}][{_SPACELESS_MARKS}]*|[{_SPACELESS_MARKS}]+")


def _pattern(letter: str, unspaced: str) -> re.Pattern[str]:
    """Match one run of an unspaced script, one number, or one word with the identifier it is part of."""
    word = f"(?:{letter})+"
    return re.compile(
        rf"(?P<unspaced>[{unspaced}]+)"
        rf"|(?P<number>(?<!\w)\d+(?:[.,]\d+)+(?!\w))"
        rf"|(?P<name>(?:(?<!\S)\.)?_*{word}(?:(?:\.|::|_+){word})*_*(?:\+\+|\#(?!\w))?)"
    )


_ASCII = _pattern("[a-z0-9]", "\x80")
_UNICODE = _pattern(f"(?![{_UNSPACED}])[^\\W_]|[{_MARKS}]", _UNSPACED + _SPACELESS_MARKS)
_POSSESSIVE = re.compile(r"(?<=\w)['’]s(?!\w)")
_CONTRACTION = re.compile(r"(?<=n)['’](?=t(?!\w))")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PARTS = re.compile(r"[._:+#]+")


def _name_of(subject: str) -> str:
    return min(_names_of(subject), key=len, default=_key(subject))


def _names_of(title: str) -> list[str]:
    plain = html.unescape(title)
    first = _SEGMENT.split(plain, maxsplit=1)[0]
    named = [_key(part) for part in (plain, _PARENTHESIS.sub("", plain), first, _PARENTHESIS.sub("", first))]
    return [name for name in named if name and not name.isdecimal()]


def _key(text: str) -> str:
    found: list[str] = []
    for match in _TOKEN.finditer(_fold(html.unescape(text))):
        written = match.group()
        found += [written.lower()] if written.isascii() and written.isalnum() else _words(written)
    if len(found) > 1 and found[0] in _ARTICLES:
        found = found[1:]
    name = " ".join(found)
    return name if 1 < len(name) <= _MAX_CHARS and len(found) <= _MAX_WORDS else ""


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = unicodedata.normalize("NFKC", plain).casefold()
    decomposed = unicodedata.normalize("NFD", plain).translate(_LETTERS)
    return unicodedata.normalize("NFKC", _DECORATION.sub("", decomposed))


def _words(text: str) -> list[str]:
    folded = _CONTRACTION.sub("", _POSSESSIVE.sub("", _fold(text)))
    words: list[str] = []
    for match in (_ASCII if folded.isascii() else _UNICODE).finditer(folded):
        found = match.group()
        if match.lastgroup == "unspaced":
            clusters = _CLUSTER.findall(found)
            words += clusters if len(clusters) == 1 else [first + second for first, second in pairwise(clusters)]
        elif match.lastgroup == "number":
            words.append(found.replace(",", "") if _THOUSANDS.fullmatch(found) else found)
        elif found.isalnum():
            words.append(found[:_MAX_TERM_CHARS])
        else:
            words += [part[:_MAX_TERM_CHARS] for part in _PARTS.split(found.replace("_", ".")) if part]
    return words
