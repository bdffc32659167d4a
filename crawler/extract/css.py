"""Tell by its declarations whether an element is seen: not if hidden, tiny, off the page, in its background colour.

The rules of a page's ``style`` elements are applied as far as they can hide an element: selectors of tags, classes and
ids, also nested; not media queries, states or attributes, and no style sheets that would have to be fetched. tinycss2
and cssselect2 support more, but take several times as long as all other work on the page: 30 ms for a sheet of 50 KB,
and 3 s for one selector of four classes at an element 100 levels deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from tinycss2 import parse_component_value_list, serialize
from tinycss2.color4 import parse_color

MAX_CSS = 300_000
MAX_RULES = 3_000
#: matches of a rule with an element that are tried; beyond, the page is not styled further
MAX_TRIES = 200_000
_DEPTH = 40
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMPOUND = re.compile(r"([a-z][\w-]*|\*)?((?:[.#][\w-]+)*)", re.IGNORECASE)
_PART = re.compile(r"([.#])([\w-]+)")
#: properties that can hide, strike out or raise an element, or undo what another rule does
_RELEVANT = frozenset(
    "display visibility content-visibility opacity color background background-color background-clip font font-size "
    "left right top bottom margin-left margin-right margin-top text-indent transform clip clip-path overflow width "
    "height max-width max-height -webkit-background-clip text-decoration text-decoration-line vertical-align".split()
)
Declarations = Mapping[str, str]
Colour = tuple[int, int, int]
#: pixels: smaller letters are not readable; further away is off the page; a smaller box shows nothing
_READABLE, _OFF_PAGE, _MIN_BOX = 3.0, 900.0, 1.0
#: colours whose channels all differ by less look the same
_SAME = 16
_OPAQUE = 0.1
_PIXELS = {"px": 1.0, "pt": 1.33, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "pc": 16.0, "cm": 37.8, "mm": 3.8,
           "in": 96.0, "vw": 10.0, "vh": 10.0, "%": 0.16, "": 1.0}  # fmt: skip
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(px|pt|r?em|ex|ch|pc|cm|mm|in|v[wh]|%|)(?![\w.])")
_SIDES = ("left", "right", "top", "bottom", "margin-left", "margin-right", "margin-top", "text-indent")
_CLIPPED = re.compile(r"rect\(\s*0\D|rect\(\s*1px|inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0|polygon\(\s*0[^,]*\)")
_SCALED_AWAY = re.compile(r"scale[xy3d]*\(\s*0?(?:\.0\d*)?\s*[,)]")
_MOVED = re.compile(r"translate[xy3d]*\(([^)]*)\)")
#: characters of the longest colour that is looked at
_MAX_COLOUR = 100
WHITE: Colour = (255, 255, 255)


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


def declarations(style: str) -> dict[str, str]:
    """Parse ``name: value; …``; the last of a name counts, as in a browser."""
    found: dict[str, str] = {}
    for part in style.lower().split(";"):
        name, colon, value = part.partition(":")
        if colon:
            found[name.strip()] = value.replace("!important", "").strip()
    return found


def hides(style: Declarations) -> bool:
    """Return whether an element with these declarations is not seen, whatever its background."""
    return (
        style.get("display") == "none"
        or style.get("visibility") in ("hidden", "collapse")
        or style.get("content-visibility") == "hidden"
        or _is_transparent(style)
        or _is_tiny(style)
        or _is_off_page(style)
        or _is_clipped(style)
    )


def colour_of(value: str) -> Colour | None:
    """Parse a colour; None for an unknown one."""
    parsed = _parse_colour(value)
    return parsed and parsed[0]


@lru_cache(maxsize=1_000)
def _parse_colour(value: str) -> tuple[Colour, float] | None:
    """Return a colour and how opaque it is: 0 to 1."""
    try:
        colour = parse_color(value) if len(value) <= _MAX_COLOUR else None
    except ValueError:  # color() with nothing in it
        return None
    if colour is None or colour == "currentcolor" or colour.space not in ("srgb", "hsl", "hwb"):
        return None
    red, green, blue, alpha = colour.to("srgb")
    return (_channel(red), _channel(green), _channel(blue)), alpha


def _channel(part: float) -> int:
    return round(255 * max(0.0, min(1.0, part)))


def background_of(style: Declarations) -> Colour | str | None:
    """Return the background colour; "unknown" for an image or the like, None if there is none or it is seen through."""
    value = style.get("background-color") or style.get("background")
    if not value or value in ("none", "inherit", "initial", "unset") or _is_see_through(value):
        return None
    return colour_of(value) or colour_of(_first_part(value)) or "unknown"


def _first_part(value: str) -> str:
    """Return what stands before the first blank that is not in brackets."""
    parts = parse_component_value_list(value[:_MAX_COLOUR].strip())
    return next((serialize(parts[:n]) for n, part in enumerate(parts) if part.type == "whitespace"), value)


def is_same(one: Colour, other: Colour) -> bool:
    """Return whether two colours look the same."""
    return all(abs(a - b) < _SAME for a, b in zip(one, other, strict=True))


def _is_transparent(style: Declarations) -> bool:
    opacity = _LENGTH.match(style.get("opacity", ""))
    if opacity and float(opacity[1]) / (100 if opacity[2] == "%" else 1) < _OPAQUE:
        return True
    if "background-clip" in style or "-webkit-background-clip" in style:  # letters filled with the background image
        return False
    return _is_see_through(style.get("color", ""))


def _is_see_through(colour: str) -> bool:
    parsed = _parse_colour(colour)
    return parsed is not None and parsed[1] < _OPAQUE


def _is_tiny(style: Declarations) -> bool:
    size = _pixels(style.get("font-size", ""))
    if size is None and (shorthand := re.search(r"(?:^|\s)([\d.]+[a-z%]*)\s*(?:/|\s)", style.get("font", ""))):
        size = _pixels(shorthand[1])
    return size is not None and 0 <= size < _READABLE


def _is_off_page(style: Declarations) -> bool:
    sides = [_pixels(style[side]) for side in _SIDES if side in style]
    found = _MOVED.search(style.get("transform", ""))
    moved = [_pixels(part.strip()) for part in found[1].split(",") if "%" not in part] if found else []
    return any(length is not None and length <= -_OFF_PAGE for length in (*sides, *moved))


def _is_clipped(style: Declarations) -> bool:
    clip = f"{style.get('clip', '')} {style.get('clip-path', '')}"
    if _CLIPPED.search(clip) or _SCALED_AWAY.search(style.get("transform", "")):
        return True
    if not any(word in style.get("overflow", "") for word in ("hidden", "clip")):
        return False
    sizes = [_pixels(style[name]) for name in ("width", "height", "max-width", "max-height") if name in style]
    return any(size is not None and 0 <= size <= _MIN_BOX for size in sizes)


def _pixels(value: str) -> float | None:
    """Return about how many pixels a length is; None where it is not a length."""
    found = _LENGTH.match(value.strip())
    return float(found[1]) * _PIXELS[found[2]] if found else None
