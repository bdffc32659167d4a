"""Read the facts in a page's structure: JSON-LD, two-column tables, definition lists; none from prose.

A fact has a span if its object is found in the page's text: soon after its label (the row's heading, the term), or in
one place only.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from crawler.extract.html import linked_data
from domain import Fact
from text.invisible import strip_invisible

MAX_FACTS: Final = 200
MAX_CHARS: Final = 300  #: of a subject, predicate or object; longer ones are prose

_MAX_DEPTH: Final = 6
_MAX_ROWS: Final = 500
_NEAR: Final = 300  #: characters after its label within which an object is looked for
_MIN_ALONE: Final = 4  #: characters of an object that may be found without its label
_PROPERTY_WORDS: Final = 8  #: a longer description defines its term; a shorter one is a property of the page
_TRIES: Final = 20

_NAMES: Final = ("name", "headline", "title")
#: about the site and its images, or too long for a fact
_SKIPPED_TYPES: Final = frozenset(
    {"BreadcrumbList", "SearchAction", "ImageObject", "SiteNavigationElement", "ListItem"}
)
_SKIPPED_KEYS: Final = frozenset({"articleBody", "text", "mainEntityOfPage", "potentialAction", "breadcrumb"})
_URL: Final = re.compile(r"^(?:https?:)?//|^[#/]\S*$")


class _Triple(NamedTuple):
    subject: str
    predicate: str
    object: str
    label: str  #: the visible words before the object


def facts_of(tree: Any, *, title: str, text: str) -> tuple[Fact, ...]:
    """Return the facts of a parsed page, each once, at most ``MAX_FACTS``.

    ``tree`` is the whole page with its scripts, ``title`` the subject of facts that name none, ``text`` the stored text
    of the spans: ``text[fact.start:fact.end] == fact.object``.
    """
    facts: dict[tuple[str, str, str], Fact] = {}
    # a table of tables is for layout
    tables = (_table(table, title) for table in tree.iter("table") if table.find(".//table") is None)
    stated_in_json = (_node(value, title, _MAX_DEPTH) for value in linked_data(tree))
    for found in (*stated_in_json, *tables, _definitions(tree, title)):
        for triple in found:
            stated = triple[:3]
            if stated not in facts and all(0 < len(part) <= MAX_CHARS for part in stated):
                start = _find(triple, text)
                end = None if start is None else start + len(triple.object)
                facts[stated] = Fact(
                    subject=triple.subject, predicate=triple.predicate, object=triple.object, start=start, end=end
                )
            if len(facts) >= MAX_FACTS:
                return tuple(facts.values())
    return tuple(facts.values())


def _find(triple: _Triple, text: str) -> int | None:
    for label in islice(re.finditer(re.escape(triple.label), text), _TRIES):
        if (found := text.find(triple.object, label.end(), label.end() + _NEAR)) >= 0:
            return found
    if len(triple.object) < _MIN_ALONE:
        return None
    first = text.find(triple.object)
    return first if first >= 0 and text.find(triple.object, first + 1) < 0 else None


def _node(value: object, title: str, depth: int) -> Iterator[_Triple]:
    """Yield the facts of a JSON-LD object and of the objects in it, or of those in a list."""
    if depth == 0:
        return
    if isinstance(value, list):
        for item in value:
            yield from _node(item, title, depth - 1)
    if not isinstance(value, dict) or not _SKIPPED_TYPES.isdisjoint(map(str, _listed(value.get("@type")))):
        return
    subject = _name(value) or title
    for key, field in value.items():
        if key in _SKIPPED_KEYS:
            continue
        if key == "@type":
            yield from (
                _Triple(subject, "type", _clean(kind), subject) for kind in _listed(field) if isinstance(kind, str)
            )
        elif not key.startswith("@") and key not in _NAMES:
            yield from _field(subject, key, field)
        yield from _node(field, subject, depth - 1)


def _field(subject: str, key: str, field: object) -> Iterator[_Triple]:
    for value in _listed(field):
        if isinstance(value, dict):
            stated = _name(value) or _clean(str(value.get("value", "")))
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            stated = _clean(str(value))
        else:
            continue
        if not _URL.match(stated):
            words = _clean(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).lower())  # "date published" of datePublished
            yield _Triple(subject, words, stated, subject)


def _name(node: dict[str, Any]) -> str:
    return next((_clean(value) for key in _NAMES if isinstance(value := node.get(key), str)), "")


def _listed(field: object) -> list[Any]:
    return field if isinstance(field, list) else [] if field is None else [field]


def _table(table: Any, title: str) -> Iterator[_Triple]:
    rows = [[cell for cell in row if cell.tag in ("th", "td")] for row in islice(table.iter("tr"), _MAX_ROWS)]
    pairs = [row for row in rows if len(row) == 2]
    boxed = [row for row in pairs if (row[0].tag, row[1].tag) == ("th", "td")]
    if len(boxed) >= 2:
        caption = table.find("caption")
        is_headed = len(rows[0]) == 1 and rows[0][0].tag == "th"
        subject = (_words(caption) if caption is not None else _words(rows[0][0]) if is_headed else "") or title
        yield from (_Triple(subject, label, _words(row[1]), label) for row in boxed if (label := _label(row[0])))
    elif len(pairs) == len(rows) > 1 and all(cell.tag == "th" for cell in rows[0]):
        predicate = _label(rows[0][1])
        yield from (_Triple(label, predicate, _words(row[1]), label) for row in rows[1:] if (label := _label(row[0])))


def _definitions(tree: Any, title: str) -> Iterator[_Triple]:
    for described in tree.iter("dd"):
        term = described.getprevious()
        if term is None or term.tag != "dt":
            continue
        first = described.find("p")
        label, description = _label(term), _words(described if first is None else first)
        if len(description.split()) > _PROPERTY_WORDS:
            yield _Triple(label, "definition", description, label)
        else:
            yield _Triple(title, label, description, label)


def _label(element: Any) -> str:
    return _words(element).rstrip(":：¶ ")


def _words(element: Any) -> str:
    """Return an element's text with single blanks, without scripts and styles."""
    if element.find(".//script") is None and element.find(".//style") is None:
        return _clean("".join(element.itertext()))
    return _clean("".join(element.xpath(".//text()[not(ancestor::script or ancestor::style)]")))


def _clean(text: str) -> str:
    return " ".join(strip_invisible(text).split())
