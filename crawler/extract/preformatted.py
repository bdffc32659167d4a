"""Give a page that is all preformatted text its paragraphs, headings and definitions; code stays preformatted.

Manual pages printed by ``man``, and other texts wrapped by hand, are such pages. A page of source code is none.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

_LEAST_SHARE = 0.85  #: of a page's text
_LEAST_PROSE = 0.5  #: of the lines of a text that is no manual page
_LEAST_CHARS = 400
_HEADING = re.compile(r"[^\W\d_a-zß-öø-ÿ][^a-zß-öø-ÿ]{2,60}")
_SECTIONS = frozenset(
    "NAME SYNOPSIS DESCRIPTION OPTIONS BEZEICHNUNG ÜBERSICHT BESCHREIBUNG OPTIONEN NOM SYNOPSIS DESCRIPTION NOMBRE "
    "SINOPSIS DESCRIPCIÓN NOME SINTASSI DESCRIZIONE ИМЯ НАЗВАНИЕ ОПИСАНИЕ 名前 書式 説明".split()
)
_NAME_SECTIONS = frozenset({"NAME", "BEZEICHNUNG", "NOM", "NOMBRE", "NOME", "名前"})
_CODE_SECTIONS = frozenset({"SYNOPSIS", "ÜBERSICHT", "SINOPSIS", "SINTASSI", "書式"})
#: "LS(1)    User Commands    LS(1)", and the head and foot of an RFC's page
_EDGE = re.compile(r"(\S+\(\w+\)) .*\1|.*\S +\S+\(\d\w*\)|\S.*\[Page \w+\]|RFC \d+ .* \d{4}")
_EDGE_CHARS = 160
_BULLET = re.compile(r"[•·*+o-] +(?=\S)")
_TERM_AND_GAP = re.compile(r" +\S+ {2,}(?=\S)")
_TERM_WORDS = 12
_PLAIN = re.compile(r"[(\"'“‘]*[^\W\d_]+(?:['’/-][^\W\d_]+)*[)\"'”’]*[.,;:!?)]*")
_MARKS = re.compile(r"[=_{}\[\]<>|\\@$#;]")
_GAP = re.compile(r"\S {4,}\S")

_Kind = Literal["heading", "prose", "item", "definition", "code"]
_TAGS: Mapping[_Kind, str] = {"heading": "h2", "prose": "p", "item": "li", "definition": "dd"}


@dataclass(frozen=True, kw_only=True)
class _Part:
    kind: _Kind
    lines: Sequence[str]
    term: str = ""  #: of a definition
    column: int = 0  #: where its description begins


def write_preformatted(body: Any) -> None:
    """Replace the preformatted text that a page consists of by elements, in place."""
    found = [element for element in body.iter("pre") if next(element.iterancestors("pre"), None) is None]
    texts = [element.text_content().expandtabs(8) for element in found]
    length = sum(len("".join(text.split())) for text in texts)
    if length < _LEAST_CHARS or length < _LEAST_SHARE * len("".join(body.text_content().split())):
        return
    parts = [list(_parts(text)) for text in texts]
    every = [part for some in parts for part in some]
    is_manual = len({part.lines[0].strip() for part in every if part.kind == "heading"} & _SECTIONS) >= 2
    prose = sum(len(part.lines) for part in every if part.kind in ("prose", "item"))
    if not is_manual and prose < _LEAST_PROSE * sum(len(part.lines) for part in every):
        return
    for element, some in zip(found, parts, strict=True):
        _write(element, some)


def _parts(text: str) -> Iterator[_Part]:
    lines = [line.rstrip() for line in text.replace("\f", "\n").split("\n")]
    section, column = "", 0
    for group in _groups(lines):
        if _indent(group[0]) == 0 and _HEADING.fullmatch(group[0]):
            section = group[0].strip()
            yield _Part(kind="heading", lines=group[:1])
            group = group[1:]
        if group:
            part = _part(group, section, column)
            column = part.column or column
            yield part


def _groups(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield lines between blank lines, without the heads and feet of printed pages."""
    group: list[str] = []
    for line in lines:
        is_edge = _indent(line) == 0 and len(line) <= _EDGE_CHARS and _EDGE.fullmatch(line)
        if line.strip() and not is_edge:
            group.append(line)
        elif group:
            yield group
            group = []
    if group:
        yield group


def _part(group: Sequence[str], section: str, column: int) -> _Part:
    first, rest = group[0].strip(), group[1:]
    indent, below = _indent(group[0]), min(map(_indent, rest), default=0)
    if section in _CODE_SECTIONS or section in _NAME_SECTIONS:
        return _Part(kind="code" if section in _CODE_SECTIONS else "prose", lines=group)
    if bullet := _BULLET.match(first):
        text = [first[bullet.end() :], *(line.strip() for line in rest)]
        if _is_prose(text):
            return _Part(kind="item", lines=text)
    spaced = _TERM_AND_GAP.match(group[0])  # the description may begin in the line of its term
    begin = below if rest else spaced.end() if spaced else column
    if indent + 2 < begin < len(group[0]) and group[0][begin - 1] == " " != group[0][begin]:
        term, text = group[0][:begin].strip(), [group[0][begin:], *rest]
        if _is_term(term) and _is_prose(text, least=2):
            return _Part(kind="definition", lines=text, term=term, column=begin)
    if below > indent + 2 and _is_term(first) and _is_prose(rest, least=2):
        return _Part(kind="definition", lines=rest, term=first, column=below)
    if max(map(_indent, rest), default=indent) <= indent + 1 and _is_prose(group):
        return _Part(kind="prose", lines=group)
    return _Part(kind="code", lines=group)


def _is_term(text: str) -> bool:
    return bool(text) and len(text.split()) <= _TERM_WORDS and not text.endswith((".", ";", "{"))


def _is_prose(lines: Sequence[str], *, least: int = 3) -> bool:
    """Return whether lines are plainly words, so many at least: no marks of code, no columns."""
    text = " ".join(line.strip() for line in lines)
    words = [word for word in text.split() if word not in "-–—"]
    plain = sum(1 for word in words if _PLAIN.fullmatch(word))
    is_table = sum(1 for line in lines if _GAP.search(line)) > len(lines) / 3
    share = 0.8 if len(lines) == 1 else 0.6
    has_words = len(words) >= least and plain >= share * len(words)
    return has_words and len(_MARKS.findall(text)) <= 0.05 * len(text) and not is_table


def _write(element: Any, parts: Sequence[_Part]) -> None:
    del element[:]
    element.tag, element.text = "div", None
    for kind, some in groupby(parts, key=lambda part: part.kind):
        if kind == "code":  # what follows code belongs to it, with a blank line between
            lines = [line for part in some for line in ("", *part.lines)][1:]
            least = min(_indent(line) for line in lines if line)
            _add(element, "pre", "\n".join(line[least:] for line in lines))
            continue
        outer = element if kind in ("heading", "prose") else _add(element, "dl" if kind == "definition" else "ul", None)
        for part in some:
            if kind == "definition":
                _add(outer, "dt", part.term)
            _add(outer, _TAGS[kind], _one_line(part.lines))


def _add(parent: Any, tag: str, text: str | None) -> Any:
    child = parent.makeelement(tag)
    child.text = text
    parent.append(child)
    return child


def _one_line(lines: Sequence[str]) -> str:
    """Return wrapped lines as one; a hyphen that ``man`` set at a line's end goes."""
    return " ".join(" ".join(line.split()) for line in lines).replace("\u2010 ", "")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
