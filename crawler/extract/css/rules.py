"""Apply the rules of a page's ``style`` elements, as far as they can hide an element.

Supports selectors of tags, classes and ids, also nested; not media queries, states or attributes, and no style sheets
that would have to be fetched. tinycss2 and cssselect2 support more, but take several times as long as all other work on
the page: 30 ms for a sheet of 50 KB, and 3 s for one selector of four classes at an element 100 levels deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from crawler.extract.css.style import declarations

MAX_CSS = 300_000
MAX_RULES = 3_000
#: matches of a rule with an element that are tried; beyond, the page is not styled further
MAX_TRIES = 200_000
_DEPTH = 40
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMPOUND = re.compile(r"([a-z][\w-]*|\*)?((?:[.#][\w-]+)*)", re.IGNORECASE)
_PART = re.compile(r"([.#])([\w-]+)")
#: properties that can hide an element, or show one that another rule hides
_RELEVANT = frozenset(
    "display visibility content-visibility opacity color background background-color background-clip font font-size "
    "left right top bottom margin-left margin-right margin-top text-indent transform clip clip-path overflow width "
    "height max-width max-height -webkit-background-clip".split()
)


@dataclass(frozen=True, kw_only=True)
class _Compound:
    tag: str
    ids: frozenset[str]
    classes: frozenset[str]

    def matches(self, element: Any) -> bool:
        if self.tag and self.tag != element.tag:
            return False
        if self.ids and element.get("id") not in self.ids:
            return False
        return not self.classes or self.classes.issubset(element.get("class", "").split())


@dataclass(frozen=True, kw_only=True)
class _Rule:
    compounds: tuple[_Compound, ...]  #: the outermost first
    style: dict[str, str]

    @property
    def weight(self) -> tuple[int, int, int]:
        """Its specificity."""
        return (
            sum(len(compound.ids) for compound in self.compounds),
            sum(len(compound.classes) for compound in self.compounds),
            sum(bool(compound.tag) for compound in self.compounds),
        )

    def matches(self, element: Any) -> bool:
        if not self.compounds[-1].matches(element):
            return False
        wanted = list(self.compounds[:-1])
        for above in islice(element.iterancestors(), _DEPTH):
            if not wanted:
                break
            if wanted[-1].matches(above):
                wanted.pop()
        return not wanted


class StyleSheets:
    """A page's rules, indexed by a name that a matching element must have."""

    def __init__(self, tree: Any) -> None:
        css = "\n".join(style.text or "" for style in tree.iter("style") if _is_for_screens(style))
        rules = sorted(islice(_rules(css[:MAX_CSS]), MAX_RULES), key=lambda rule: rule.weight)
        self._tries = 0
        self._by_key: dict[str, list[tuple[int, _Rule]]] = {}
        for at, rule in enumerate(rules):
            self._by_key.setdefault(_key(rule.compounds[-1]), []).append((at, rule))

    def style_of(self, element: Any) -> dict[str, str]:
        """Return the declarations that hold for an element; the more specific rule wins."""
        if not self._by_key or self._tries > MAX_TRIES:
            return {}
        keys = [f".{name}" for name in element.get("class", "").split()[:20]]
        keys += [f"#{element.get('id')}", element.tag, ""]
        candidates = [found for key in keys for found in self._by_key.get(key, ())]
        self._tries += len(candidates)
        matching = sorted((found for found in candidates if found[1].matches(element)), key=lambda found: found[0])
        return {name: value for _, rule in matching for name, value in rule.style.items()}


def _is_for_screens(style: Any) -> bool:
    return style.get("media", "all").strip().lower() in ("", "all", "screen")


def _key(compound: _Compound) -> str:
    """Return a name that every element has that the compound matches."""
    if compound.ids:
        return f"#{min(compound.ids)}"
    return f".{min(compound.classes)}" if compound.classes else compound.tag


def _rules(css: str) -> Iterator[_Rule]:
    for selectors, body in _blocks(_COMMENT.sub(" ", css)):
        style = {name: value for name, value in declarations(body).items() if name in _RELEVANT}
        for selector in selectors.split(",") if style else ():
            compounds = [_compound(part) for part in selector.replace(">", " ").split()]
            if compounds and None not in compounds:
                yield _Rule(compounds=tuple(each for each in compounds if each), style=style)


def _blocks(css: str) -> Iterator[tuple[str, str]]:
    """Yield ``(selectors, declarations)`` of the rules outside at-rules."""
    depth = start = 0
    opened = 0
    for brace in re.finditer(r"[{}]", css):
        if brace[0] == "{":
            depth += 1
            opened = brace.start() if depth == 1 else opened
        elif depth:
            depth -= 1
            if depth == 0:
                selectors = css[start:opened].rpartition(";")[2].strip()
                if not selectors.startswith("@"):
                    yield selectors, css[opened + 1 : brace.start()]
                start = brace.end()


def _compound(text: str) -> _Compound | None:
    found = _COMPOUND.fullmatch(text)
    if found is None:
        return None
    parts = _PART.findall(found[2])
    return _Compound(
        tag=(found[1] or "").lower().replace("*", ""),
        ids=frozenset(name for mark, name in parts if mark == "#"),
        classes=frozenset(name for mark, name in parts if mark == "."),
    )
