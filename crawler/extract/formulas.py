"""Write a page's formulas as text, each once: the TeX that its author wrote, else MathML in one line.

A formula is often drawn twice, one of both hidden, and its TeX is in attributes that nobody sees. So several words in a
row do not count as a formula.
"""

import re
from collections.abc import Iterator
from typing import Any

from crawler.extract.html import names_of
from text.invisible import strip_invisible

MAX_CHARS = 1_500
_MAX_DEPTH = 40
#: what KaTeX, MathJax and MediaWiki draw a formula in, and what Sphinx and MkDocs leave TeX in for the browser
_DRAWN = re.compile(r"(?:^|\s)(?:katex(?:-display)?|mathjax(?:_display|_svg|_chtml)?|mwe-math-element)(?:\s|$)")
_WRITTEN = re.compile(r"(?:^|\s)(?:math|arithmatex|tex|latex|formula)(?:\s|$)")
_IMAGE = re.compile(r"(?:^|\s)(?:math|tex|latex|formula(?:inl|dsp)?|mwe-math-\S+)(?:\s|$)")
_DISPLAYED = re.compile(r"(?:^|\s)(?:katex-display|mathjax_display|mwe-math-element-block|formuladsp)(?:\s|$)")
_DELIMITED = re.compile(r"\s*(?:\\\(.*\\\)|\\\[.*\\\]|\$\$.*\$\$|\$.*\$)\s*", re.DOTALL)
_DELIMITER = re.compile(r"^\s*(?:\\[(\[]|\${1,2})|(?:\\[)\]]|\${1,2})\s*$")
_SPACING = re.compile(r"\\[,;:!]|\\(?:displaystyle|textstyle|quad|qquad|limits|nonumber)(?![a-zA-Z])|\s+")
_WORDS = re.compile(r"(?<![\\\w])[^\W\d_]{2,}(?:[\s,.;:!?'’-]+[^\W\d_]{2,}){3,}")
_STYLED = ("{\\displaystyle", "{\\textstyle")  #: as MediaWiki writes all formulas
_BETWEEN = {"mfrac": "/", "msup": "^", "msub": "_", "munder": "_", "mover": "^"}
_ATOM = re.compile(r"\w+|\W")


def write_formulas(tree: Any) -> None:
    """Replace the formulas of an lxml tree by text, in place: those on a line of their own by a ``pre``.

    What hides a formula together with its drawing still hides it.
    """
    waiting = [tree]
    while waiting:
        element = waiting.pop()
        if not _write_formula(element):
            waiting.extend(element)


def linear(element: Any, depth: int = 0) -> str:
    """Return MathML in one line: ``x^2``, ``(a+b)/c``, ``sqrt(x)``."""
    name = element.tag.rpartition("}")[2].rpartition(":")[2] if isinstance(element.tag, str) else "annotation"
    if name in ("annotation", "annotation-xml", "mphantom"):
        return ""
    if depth > _MAX_DEPTH or not len(element):
        return " ".join("".join(element.itertext()).split())
    parts = [linear(child, depth + 1) for child in element]
    if name in _BETWEEN and len(parts) == 2:
        return _BETWEEN[name].join(map(in_brackets, parts))
    if name in ("msubsup", "munderover") and len(parts) == 3:
        return f"{in_brackets(parts[0])}_{in_brackets(parts[1])}^{in_brackets(parts[2])}"
    if name == "mroot" and len(parts) == 2:
        return f"root({parts[1]}, {parts[0]})"
    joined = {"mtr": ", ", "mtable": "; ", "mlabeledtr": ", "}.get(name, "").join(filter(None, parts))
    return f"sqrt({joined})" if name == "msqrt" else joined


def _write_formula(element: Any) -> bool:
    name = element.tag.rpartition(":")[2]
    if name == "script":
        _write_script(element)
    elif name == "img":
        _write_image(element)
    elif name in ("math", "mjx-container"):
        _write(element, _drawn(element), displayed=element.get("display") in ("block", "true"))
    elif name in ("span", "div") and (names := names_of(element)) != " ":
        if _DRAWN.search(names):
            _write(element, _drawn(element), displayed=_DISPLAYED.search(names) is not None)
        elif _WRITTEN.search(names) and not len(element) and _DELIMITED.fullmatch(element.text or ""):
            _write(element, _tex(element.text), displayed=name == "div")
        else:
            return False
    else:
        return False
    return True


def _write(element: Any, text: str, *, displayed: bool) -> None:
    if not text:
        return
    del element[:]
    element.tag = "pre" if displayed else "span"
    element.text = text


def _drawn(element: Any) -> str:
    return next((tex for written in _sources(element) if (tex := _tex(written))), "")


def _sources(element: Any) -> Iterator[str]:
    named = [(found.tag.rpartition(":")[2], found) for found in element.iter("*")]
    for name, found in named:
        if name == "annotation" and "tex" in (found.get("encoding") or "").lower():
            yield found.text or ""
        elif name == "math" and found.get("alttext"):
            yield found.get("alttext")
    yield from (linear(found) for name, found in named if name == "math")


def _write_script(element: Any) -> None:
    kind = (element.get("type") or "").lower()
    if not kind.startswith("math/tex") or not (text := _tex(element.text or "")):
        return
    before = element.getprevious()
    while before is not None and "mathjax" in names_of(before) and not (before.tail or "").strip():
        before.getparent().remove(before)
        before = element.getprevious()
    _write(element, text, displayed="mode=display" in kind)
    element.attrib.clear()


def _write_image(element: Any) -> None:
    alt = (element.get("alt") or "").strip()
    names = names_of(element)
    around = _alone_in(element)
    is_apart = _WRITTEN.search(around) is not None
    if is_apart or _IMAGE.search(names) or _DELIMITED.fullmatch(alt) or alt.startswith("\\"):
        _write(element, _tex(alt), displayed=is_apart or _DISPLAYED.search(names) is not None)


def _alone_in(element: Any) -> str:
    names: list[str] = []
    above = element.getparent()
    while above is not None and above.tag in ("p", "div") and len(names) < 3:
        # not by its length, which lxml counts: an image in each of many lines would take the square of their number
        is_beside = element.getprevious() is not None or element.getnext() is not None
        if is_beside or ((above.text or "") + (element.tail or "")).strip():
            break
        names.append(names_of(above))
        element, above = above, above.getparent()
    return " ".join(names)


def _tex(written: str | None) -> str:
    """Return TeX without its delimiters and spacing; "" for what is no formula."""
    text = _DELIMITER.sub("", strip_invisible((written or "")[: MAX_CHARS + 1])).strip()
    if text.startswith(_STYLED) and text.endswith("}"):
        text = text[1:-1]
    text = _SPACING.sub(" ", text).strip().replace("{ ", "{").replace(" }", "}")
    return "" if len(text) > MAX_CHARS or _WORDS.search(text) else text


def in_brackets(part: str) -> str:
    """Return a part of a formula as one that an operator may follow."""
    return part if _ATOM.fullmatch(part) else f"({part})"
