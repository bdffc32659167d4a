"""Write what office documents have in common as HTML: tables with merged cells, charts, diagrams, pictures' words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from html import escape
from typing import Any, Final

from crawler.extract.files.zip_document import ZipDocument, attribute, elements, local
from crawler.extract.formulas import in_brackets

_NAMELESS: Final = 2  #: columns: a table with no more has names only if it says so
_MAX_POINTS: Final = 5_000  #: of a chart
_FIRST_DAY, _DAYS = date(1899, 12, 30), 5  #: from which Office counts the days; the digits of those since 1927
#: by the element of an Office formula, the sign between its parts
_MATH: Final = {"f": "/", "sSup": "^", "sSub": "_"}
#: what a program adds to the words it wrote for a picture
_BY_PROGRAM: Final = "Description automatically generated"


@dataclass(kw_only=True)
class Cell:
    """A cell of a table: its content as HTML, and how far it reaches."""

    html: str
    columns: int = 1
    rows: int = 1


def write_table(rows: Sequence[Sequence[Cell]], *, heads: int = 0) -> str:
    """Return a table; its first ``heads`` rows name the columns, and of more than two columns always the first."""
    heads = heads or (sum(cell.columns for cell in rows[0]) > _NAMELESS if rows else 0)
    out: list[str] = []
    for number, row in enumerate(rows):
        tag = "th" if number < heads else "td"
        out.append("<tr>")
        for cell in row:
            columns = f' colspan="{cell.columns}"' if cell.columns > 1 else ""
            reach = f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
            out.append(f"<{tag}{columns}{reach}>{cell.html}</{tag}>")
        out.append("</tr>")
    return f"<table>{''.join(out)}</table>"


def number_of(element: Any, name: str, most: int = 1_000) -> int:
    """Return a number that an attribute gives, between 1 and ``most``; 1 if it gives none."""
    value = attribute(element, name)
    return max(1, min(most, int(value))) if value.isdecimal() else 1


def marked(html: str, tag: str) -> str:
    """Return text in a tag, as "sup" for what is raised; as it is without one, and if nothing would be seen."""
    return f"<{tag}>{html}</{tag}>" if tag and html.strip() else html


def picture(words: str) -> str:
    """Return what a picture's author wrote for those who cannot see it; "" for the name of a file."""
    said = " ".join(words.replace(_BY_PROGRAM, "").split())
    return f"<p>{escape(said)}</p>" if " " in said else ""


def formula(element: Any) -> str:
    """Return an Office formula in one line, as those of pages are written: 10^6, (a+b)/c."""
    name, brackets = local(element), element.find("{*}dPr/{*}begChr")
    parts = [formula(each) for each in element if not local(each).endswith("Pr")]
    if name == "d":
        opens = "(" if brackets is None else attribute(brackets, "val")
        return opens + ", ".join(parts) + {"(": ")", "[": "]", "{": "}"}.get(opens, opens)
    if name in _MATH and len(parts) > 1:
        return _MATH[name].join(map(in_brackets, parts))
    if name == "rad":
        return f"root({', '.join(parts)})" if all(parts) else f"sqrt({''.join(parts)})"
    return (element.text or "" if name == "t" else "") + "".join(parts)


@dataclass(frozen=True, kw_only=True)
class Drawings:
    """The charts and diagrams that a part of an Office file refers to; it counts what cannot be read."""

    archive: ZipDocument
    relations: Mapping[str, tuple[str, str]]
    unread: Counter[str] = field(default_factory=Counter)

    def write(self, element: Any) -> str:
        """Return a chart or diagram, by the element that refers to it, as HTML; "" for another element."""
        name = local(element)
        if name == "relIds":
            return self._written(attribute(element, "dm"), "diagram", _diagram)
        if name == "chart":
            return self._written(attribute(element, "id"), "chart", _chart)
        if name in ("OLEObject", "oleObj"):
            self.unread["embedded object"] += 1
        return ""

    def _written(self, relation: str, name: str, write: Any) -> str:
        root = self.archive.xml(self.relations.get(relation, ("", ""))[1])
        html = write(root) if root is not None else ""
        self.unread[name] += not html
        return str(html)


def missing(unread: Mapping[str, int]) -> list[str]:
    """Return what could not be read, in words: "2 charts"."""
    return [f"{count} {name}{'s' * (count > 1)}" for name, count in unread.items() if count]


def _diagram(root: Any) -> str:
    texts = (" ".join(filter(None, map(_text, point.iterfind("{*}t")))) for point in elements(root, "pt"))
    items = "".join(f"<li>{escape(text)}</li>" for text in texts if text)
    return f"<ul>{items}</ul>" if items else ""


def _chart(root: Any) -> str:
    chart = next(elements(root, "chart"), root)
    titles = [_text(each) for each in elements(chart, "title")]
    rows: dict[str, dict[int, str]] = {}
    names: dict[int, str] = {}
    for at, series in enumerate(elements(chart, "ser")):
        parts = {local(each): each for each in series}
        names[at] = " ".join(_values(parts.get("tx")).values()) or _text(parts.get("tx"))
        categories = _values(parts.get("cat", parts.get("xVal")))
        for point, value in _values(parts.get("val", parts.get("yVal"))).items():
            rows.setdefault(categories.get(point, str(point + 1)), {})[at] = value
    head = [Cell(html=""), *(Cell(html=escape(name)) for name in names.values())]
    body = [
        [Cell(html=escape(category)), *(Cell(html=escape(values.get(at, ""))) for at in names)]
        for category, values in rows.items()
    ]
    said = "".join(f"<p>{escape(title)}</p>" for title in titles if title)
    return said + (write_table([head, *body], heads=1) if body else "")


def _values(part: Any | None) -> dict[int, str]:
    found: dict[int, str] = {}
    are_days = any("yy" in (each.text or "").casefold() for each in elements(part, "formatCode"))
    for point in elements(part, "pt"):
        if len(found) < _MAX_POINTS:
            index = attribute(point, "idx")
            value = "".join(each.text or "" for each in point.iterfind("{*}v")).strip()
            if are_days and (days := value.partition(".")[0]).isdecimal() and len(days) == _DAYS:
                value = (_FIRST_DAY + timedelta(int(days))).isoformat()
            above = found.get(int(index)) if index.isdecimal() else None  # categories in two levels
            if index.isdecimal() and value:
                found[int(index)] = f"{value} {above}" if above else value
    return found


def _text(part: Any | None) -> str:
    pieces = [each.text or "" if local(each) == "t" else " " for each in (part.iter() if part is not None else ())]
    return " ".join("".join(pieces).split())
