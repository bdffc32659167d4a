"""Find texts that stand in English and in another language: manuals, man pages and programs' messages.

They are looked for in the unpacked packages of Debian, whose translations keep the order of the original's paragraphs.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from babel.messages import mofile, pofile
from lxml import etree, html

#: what folders and files of a language are called
LOCALES: Final = {
    "de": ("de", "de_DE", "de-DE"),
    "es": ("es", "es_ES", "es-ES"),
    "fr": ("fr", "fr_FR", "fr-FR"),
    "it": ("it", "it_IT", "it-IT"),
    "nl": ("nl", "nl_NL", "nl-NL"),
    "pt": ("pt", "pt_BR", "pt-BR", "pt-br"),
}
_ENGLISH: Final = ("en", "en-US", "C")
_BLOCKS: Final = frozenset("p li dt dd td th h1 h2 h3 h4 h5 h6 title item para simpara term entry".split())
_LEFT_OUT: Final = frozenset({"script", "style", "pre", "code", "screen"})
#: words of a text at most; and how much longer one of a pair may be
_MOST_WORDS: Final = 70
_LONGER, _LONGER_BY = 3, 3
#: blocks of one kind in the same order that are taken for translations of each other
_RUN: Final = 6
#: of a man page's text: the marks of fonts and sizes; macros that only change the font of their line
_FONTS: Final = re.compile(r"\\f(\(..|\[[^]]*\]|.)|\\[&/|^]|\\s[-+]?\d")
_FONT_MACROS: Final = frozenset({"B", "I", "BR", "IR", "RB", "RI", "BI", "IB"})
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z]|[¿¡«„\"\d])")
_MARKUP: Final = re.compile(r"<[^>]*>|[&_~]")
_WORD: Final = re.compile(r"[^\W\d_]+")

Block = tuple[str, str, str]  # its kind, its id, its text
Words = tuple[str, ...]


def pairs(root: Path, lang: str) -> Iterator[tuple[Words, Words]]:
    """Yield the words of sentences in ``lang`` and of their originals in English, each pair once."""
    known = set()
    for other, english in _texts(root, lang):
        for one, original in _sentences(other, english):
            pair = _words(one), _words(original)
            if pair not in known and one != original and _are_alike(*map(len, pair)):
                known.add(pair)
                yield pair


def _texts(root: Path, lang: str) -> Iterator[tuple[str, str]]:
    for file in sorted(root.rglob("*")):
        if not file.is_file():
            continue
        if file.suffix in (".mo", ".po") and (file.stem.endswith(LOCALES[lang]) or {*file.parts} & {*LOCALES[lang]}):
            yield from _messages(file)
        elif (blocks := _blocks_of(file)) and (english := _original(file, lang)):
            yield from _in_order(blocks(file), blocks(english))


def _messages(file: Path) -> Iterator[tuple[str, str]]:
    with file.open("rb") as stream:
        try:
            catalog = mofile.read_mo(stream) if file.suffix == ".mo" else pofile.read_po(stream)
        except (ValueError, OSError, LookupError):
            return
    for message in catalog:
        if message.id and message.string and not message.fuzzy:
            one = message.string if isinstance(message.string, str) else message.string[0]
            original = message.id if isinstance(message.id, str) else message.id[0]
            yield _MARKUP.sub(" ", one), _MARKUP.sub(" ", original)


def _blocks_of(file: Path) -> Callable[[Path], list[Block]] | None:
    if any(part.startswith("man") and part[3:].isdigit() for part in file.parts):
        return _man_blocks
    return _markup_blocks if file.suffix in (".html", ".page", ".docbook") else None


def _original(file: Path, lang: str) -> Path | None:
    """Return the English file whose translation this is: its name or a folder's has another language's in its place."""
    for locale in LOCALES[lang]:
        for english in _ENGLISH:
            named = file.with_name(file.name.replace(f".{locale}.", f".{english}."))
            if named != file and named.exists():
                return named
        if locale in file.parts:
            at = file.parts.index(locale)
            for between in (*([each] for each in _ENGLISH), []):
                found = Path(*file.parts[:at], *between, *file.parts[at + 1 :])
                if found.exists():
                    return found
    return None


def _markup_blocks(file: Path) -> list[Block]:
    raw = file.read_bytes()
    if file.suffix == ".docbook":
        raw = re.sub(rb"<!DOCTYPE.*?\]>|<!DOCTYPE[^>]*>", b"", raw, flags=re.DOTALL)
        raw = re.sub(rb"&(?!amp;|lt;|gt;|#)([\w.-]+);", rb" \1 ", raw)
    try:
        if file.suffix == ".html":
            root = html.fromstring(raw, parser=html.HTMLParser(encoding="utf-8"))
        else:
            root = etree.fromstring(raw, etree.XMLParser(recover=True))
    except (etree.LxmlError, ValueError):
        return []
    return list(_leaves(root)) if root is not None else []


def _leaves(element: etree._Element) -> Iterator[Block]:
    """Yield the blocks that hold no other block."""
    kind = _kind(element)
    if not kind or kind in _LEFT_OUT:
        return
    if kind in _BLOCKS and not any(_kind(each) in _BLOCKS for each in element.iterdescendants()):
        if text := " ".join("".join(map(str, element.itertext())).split()):
            yield kind, element.get("id") or "", text
        return
    for each in element:
        yield from _leaves(each)


def _kind(element: etree._Element) -> str:
    return str(etree.QName(element).localname) if isinstance(element.tag, str) else ""


def _man_blocks(file: Path) -> list[Block]:
    raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    found: list[Block] = []
    kind, lines = "", list[str]()
    for line in raw.decode("utf-8", "replace").splitlines():
        macro = re.match(r"[.'](\w+)\s*(.*)", line)
        if macro and macro[1] not in _FONT_MACROS:
            found.append((kind, "", " ".join(lines)))
            kind, lines = macro[1], [macro[2]] if macro[1] in ("SH", "SS") else []
        else:
            lines.append(_FONTS.sub("", macro[2] if macro else line).replace("\\", "").replace('"', ""))
    return [*found, (kind, "", " ".join(lines))]


def _in_order(some: Sequence[Block], english: Sequence[Block]) -> Iterator[tuple[str, str]]:
    """Yield the texts of blocks that translate each other: by their ids, else by the order of their kinds."""
    by_id = {id: text for _, id, text in english if id.startswith(("par_", "hd_"))}
    if by_id:
        yield from ((text, by_id[id]) for _, id, text in some if id in by_id)
        return
    match = SequenceMatcher(None, [kind for kind, _, _ in some], [kind for kind, _, _ in english], autojunk=False)
    for one, original, size in match.get_matching_blocks():
        if size >= min(_RUN, len(some), len(english)):
            for at in range(size):
                yield some[one + at][2], english[original + at][2]


def _sentences(other: str, english: str) -> Iterator[tuple[str, str]]:
    some, originals = _SENTENCE.split(other), _SENTENCE.split(english)
    yield from zip(some, originals, strict=True) if len(some) == len(originals) else [(other, english)]


def _words(text: str) -> Words:
    return tuple(_WORD.findall(text.lower()))


def _are_alike(one: int, other: int) -> bool:
    return min(one, other) > 0 and max(one, other) <= min(_MOST_WORDS, _LONGER * min(one, other) + _LONGER_BY)
