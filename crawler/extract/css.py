"""Tell by its declarations whether an element is seen: not if hidden, tiny, off the page, in its background colour.

The rules of a page's ``style`` elements are applied as in a browser's window of 1280 by 800 pixels, with all that CSS
has for it but :has(), numbers of a type, states, and style sheets that would have to be fetched. tinycss2 takes 30 ms
for one of 50 KB. What is around an element is compared here, and remembered: a selector of four classes would take
cssselect2 3 s at an element 100 levels deep. Where all rules would take too long, none is left out: TooMuchWork is
raised, and the page is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from typing import Any

from cssselect2 import ElementWrapper, SelectorError, compile_selector_list
from tinycss2 import parse_blocks_contents, parse_component_value_list, parse_stylesheet, serialize
from tinycss2.color4 import parse_color

from crawler.extract.bounded_process import TooMuchWork

#: matches of a part of a selector with an element that are tried, and more for each element
_MAX_TRIES, _TRIES_EACH = 200_000, 200
_MAX_VALUE = 2_000  #: characters: pictures have more
_VARIABLES_DEEP = 20  #: variables that a variable's value is made of
#: properties that can hide, strike out or raise an element, or undo what another rule does
_RELEVANT = frozenset(
    "display visibility content-visibility opacity color background background-color background-clip font font-size "
    "left right top bottom inset margin-left margin-right margin-top text-indent transform translate scale filter "
    "clip clip-path overflow overflow-x overflow-y width height max-width max-height block-size inline-size "
    "max-block-size max-inline-size -webkit-background-clip -webkit-text-fill-color text-decoration "
    "text-decoration-line vertical-align position".split()
)
#: of these a browser leaves out a declaration with another word
_WORDS = {
    "display": re.compile(
        r"none|contents|(?:block|inline|flow|flex|grid|table|list-item|ruby|inherit|initial|unset|revert|-|var\().*"
    ),
    "visibility": re.compile(r"visible|hidden|collapse|(?:inherit|initial|unset|revert|var\().*"),
}
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*(?:\([^()]*\)[^()]*)?))?\)")
#: of the window that media queries ask for
_WIDTH, _HEIGHT = 1280.0, 800.0
_FEATURE = re.compile(r"\((min-|max-)?(width|height|device-width):([^()]+)\)")
_FEATURES = frozenset(
    ("", *"all screen (prefers-color-scheme:light) (orientation:landscape) (hover:hover) (hover) (color)".split())
)
_DIGITS = re.compile(r"\d{100,}")  #: of a number that Python would refuse to read
_COMBINATORS = (">", "+", "~")
#: functions of selectors that ask for an element's number among all siblings, which is known, and those that hold
#: selectors; a number among those of a type, or ``of`` a selector, is counted for each element anew
_COUNTING = frozenset(("nth-child", "nth-last-child", "lang"))
_LISTING = frozenset(("is", "where", "not"))
Declarations = Mapping[str, str]
#: by name: the value, and whether it is important
_Declared = Mapping[str, tuple[str, bool]]
Colour = tuple[int, int, int]
#: pixels: smaller letters are not readable; further away is off the page; a smaller box shows nothing
_READABLE, _OFF_PAGE, _MIN_BOX = 3.0, 900.0, 1.0
#: colours whose channels all differ by less look the same
_SAME = 16
_OPAQUE = 0.1
_PIXELS = {"px": 1.0, "pt": 1.33, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "pc": 16.0, "cm": 37.8, "mm": 3.8,
           "in": 96.0, "vw": 10.0, "vh": 10.0, "%": 0.16, "": 1.0}  # fmt: skip
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(px|pt|r?em|ex|ch|pc|cm|mm|in|v[wh]|%|)(?![\w.])")
_CALCULATED = re.compile(r"calc\(\s*([\w.%+-]+)\s*\)")
_SIDES = (
    "left", "right", "top", "bottom", "inset", "margin-left", "margin-right", "margin-top", "text-indent", "translate",
)  # fmt: skip
_OVERFLOWS = ("overflow", "overflow-x", "overflow-y")
_SIZES = (
    "width", "height", "max-width", "max-height", "block-size", "inline-size", "max-block-size", "max-inline-size",
)  # fmt: skip
_CLIPPED = re.compile(r"rect\(\s*0\D|rect\(\s*1px|inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0|polygon\(\s*0[^,]*\)")
_SCALED_AWAY = re.compile(
    r"scale[xy3d]*\(\s*0?(?:\.0\d*)?\s*[,)]|matrix\(\s*0\s*,\s*0\s*,\s*0\s*,\s*0|rotate[xy]\(\s*-?90deg"
)
_FILTERED = re.compile(r"\bopacity\(([^()]*)\)")
_MOVED = re.compile(r"translate[xy3d]*\(([^)]*)\)")
#: characters of the longest colour that is looked at
_MAX_COLOUR = 100
WHITE: Colour = (255, 255, 255)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Selector:
    """What an element must match, and what must be around or before it."""

    tokens: Sequence[Any] = ()  #: of what is asked of the element itself
    among: Sequence[_Selector] = ()  #: of which it must match one
    combinator: str = ""
    left: _Selector | None = None

    @cached_property
    def compound(self) -> Any:
        """What cssselect2 makes of the tokens; None for a state, a pseudo-element, or what it does not understand."""
        try:
            (compound,) = compile_selector_list(self.tokens) if _is_cheap(self.tokens) else (None,)
        except SelectorError:
            return None
        return None if compound is None or compound.never_matches or compound.pseudo_element else compound

    @property
    def key(self) -> str:
        """A name that every element has that matches: most rules of a sheet are of none on a page."""
        for before, token in pairwise((None, *self.tokens)):
            if token.type == "hash":
                return f"#{token.value}"
            if before == "." and token.type == "ident":
                return f".{token.value}"
        return str(self.tokens[0].lower_value) if self.tokens and self.tokens[0].type == "ident" else ""

    @cached_property
    def weight(self) -> tuple[int, ...]:
        """Its specificity."""
        parts = [self.compound.specificity if self.compound else (0, 0, 0)]
        parts += [max(each.weight for each in self.among)] if self.among else []
        parts += [self.left.weight] if self.left else []
        return tuple(map(sum, zip(*parts, strict=True)))


@dataclass(frozen=True, kw_only=True)
class _Rule:
    selector: _Selector
    style: _Declared
    is_layered: bool


class StyleSheets:
    """A page's rules, indexed by a name that a matching element must have."""

    def __init__(self, tree: Any) -> None:
        sheets = [style.text or "" for style in tree.iter("style") if _is_for_window(style.get("media", ""))]
        parsed = (parse_stylesheet(_DIGITS.sub("9", css), skip_comments=True, skip_whitespace=True) for css in sheets)
        rules = [rule for sheet in parsed for rule in _rules(sheet)]
        self._by_key: dict[str, list[tuple[int, _Rule]]] = {}
        for at, rule in enumerate(rules):
            self._by_key.setdefault(rule.selector.key, []).append((at, rule))
        # as the tree is now: whoever asks drops elements
        whole = ElementWrapper.from_html_root(tree).iter_subtree() if rules else ()
        self._wrapped = {wrapper.etree_element: wrapper for wrapper in whole}
        self._tries_left = _MAX_TRIES + _TRIES_EACH * len(self._wrapped)
        self._declared = lru_cache(maxsize=None)(_declared)
        self._known: dict[tuple[_Selector, Any], bool] = {}
        self._variables: dict[Any, dict[str, str]] = {}

    def style_of(self, element: Any) -> dict[str, str]:
        """Return the declarations that hold for an element: its own, else the more specific, else the important."""
        own = element.get("style", "")
        if not own and not self._by_key:
            return {}
        style: dict[str, tuple[str, bool]] = {}
        for part in (*self._declared_for(element), self._declared(own)):
            style.update({name: new for name, new in part.items() if new[1] or not style.get(name, new)[1]})
        return self._with_variables(element, {name: value for name, (value, _) in style.items()})

    def _declared_for(self, element: Any) -> list[_Declared]:
        wrapper = self._wrapped.get(element)
        if wrapper is None:
            return []
        classes = (f".{name}" for name in element.get("class", "").split())
        keys = (*classes, f"#{element.get('id')}", element.tag, "")
        candidates = [found for key in dict.fromkeys(keys) for found in self._by_key.get(key, ())]
        matching = [(at, rule) for at, rule in candidates if self._matches(rule.selector, wrapper)]
        matching.sort(key=lambda found: (not found[1].is_layered, found[1].selector.weight, found[0]))
        return [rule.style for _, rule in matching]

    def _matches(self, selector: _Selector, wrapper: Any) -> bool:
        self._tries_left -= 1
        if self._tries_left < 0:
            raise TooMuchWork("has styles that take too long to apply: they may hide text.")
        if selector.tokens and (selector.compound is None or not selector.compound.test(wrapper)):
            return False
        if selector.among and not any(self._matches(each, wrapper) for each in selector.among):
            return False
        return selector.left is None or self._has_left(selector, selector.left, wrapper)

    def _has_left(self, selector: _Selector, left: _Selector, wrapper: Any) -> bool:
        """Return whether the left part of a selector matches around an element or before it; results are remembered."""
        step = "parent" if selector.combinator in (" ", ">") else "previous"
        found, passed, other = False, list[tuple[_Selector, Any]](), getattr(wrapper, step)
        while other is not None and not found:
            key = selector, other.etree_element
            if key in self._known:
                found = self._known[key]
                break
            passed.append(key)
            found = self._matches(left, other)
            other = getattr(other, step) if selector.combinator in (" ", "~") else None
        self._known.update(dict.fromkeys(passed, found))
        return found

    def _with_variables(self, element: Any, style: dict[str, str]) -> dict[str, str]:
        """Return a style with the values of its variables, which what is around the element may set."""
        known = self._variables.get(element.getparent(), {})
        if own := {name: value for name, value in style.items() if name.startswith("--")}:
            known = {**known, **own}
        if known:
            self._variables[element] = known

        def value_of(used: re.Match[str]) -> str:
            return known.get(used[1], used[2] or "")[:_MAX_VALUE].strip()

        found = {name: value[:_MAX_VALUE] for name, value in style.items() if name not in own}
        for _ in range(_VARIABLES_DEEP if any("var(" in value for value in found.values()) else 0):
            found = {name: _VARIABLE.sub(value_of, value)[:_MAX_VALUE] for name, value in found.items()}
        return {**found, "color": found["-webkit-text-fill-color"]} if "-webkit-text-fill-color" in found else found


def _is_for_window(query: str) -> bool:
    return any(map(_holds, query.lower().split(",")))


def _holds(query: str) -> bool:
    query, negations = re.subn(r"\Anot\s+", "", query.strip())
    if negations:
        return not _holds(query) if not query.startswith("not") else False
    for part in re.split(r"\band\b", query.removeprefix("only ")):
        feature = "".join(part.split())
        found = _FEATURE.fullmatch(feature)
        if found and (length := pixels(found[3])) is not None:
            size = _HEIGHT if found[2] == "height" else _WIDTH
            if length > size if found[1] == "min-" else length < size or found[1] != "max-":
                return False
        elif feature not in _FEATURES:
            return False
    return True


def _rules(nodes: Sequence[Any], around: Sequence[_Selector] = (), *, is_layered: bool = False) -> Iterator[_Rule]:
    """Yield the rules of a sheet, or of a block within the rule of the selectors ``around``."""
    style = _relevant(nodes)
    yield from (_Rule(selector=each, style=style, is_layered=is_layered) for each in around if style)
    for node in nodes:
        inner: Sequence[_Selector] | None = None
        if node.type == "qualified-rule":
            inner = _selectors(node.prelude, around)
        elif node.type == "at-rule" and node.content is not None and _applies(node):
            scope = next((part.content for part in node.prelude if part.type == "() block"), ())
            inner = around if node.lower_at_keyword != "scope" else _selectors(scope, around)
        if inner is not None:
            content = parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
            layered = is_layered or (node.type == "at-rule" and node.lower_at_keyword == "layer")
            yield from _rules(content, inner, is_layered=layered)


def _applies(rule: Any) -> bool:
    """Return whether an at-rule applies on a screen; every feature that it asks for counts as supported."""
    query = serialize(rule.prelude).strip().lower()
    if rule.lower_at_keyword in ("media", "container"):
        return _is_for_window(query)
    return rule.lower_at_keyword in ("layer", "scope", "supports") and not query.startswith("not")


def _selectors(tokens: Sequence[Any], around: Sequence[_Selector]) -> list[_Selector]:
    parts = groupby(tokens, lambda part: part == ",")
    return [_selector(list(part), around) for is_comma, part in parts if not is_comma]


def _selector(tokens: Sequence[Any], around: Sequence[_Selector]) -> _Selector:
    found = _Selector(among=around) if around and "&" not in tokens else None
    combinator = " "
    for is_combinator, group in groupby(tokens, lambda token: token.type == "whitespace" or token in _COMBINATORS):
        part = list(group)
        if is_combinator:
            combinator = next((token.value for token in part if token.type == "literal"), " ")
            continue
        own = [each for each in part if each != "&"]
        among = around if len(own) < len(part) else ()
        found = _Selector(tokens=own, among=among, combinator=combinator, left=found)
    return found or _Selector(tokens=tokens)


def _is_cheap(tokens: Sequence[Any]) -> bool:
    """Return whether no selector within one is of several elements."""
    for token in tokens:
        if token.type == "function" and token.lower_name in _LISTING:
            lists = groupby(token.arguments, lambda part: part == ",")
            inner = [part for _, group in lists for part in _stripped(list(group))]
            if any(part.type == "whitespace" or part in _COMBINATORS for part in inner) or not _is_cheap(inner):
                return False
        elif token.type == "function":
            is_of = any(part.type == "ident" and part.lower_value == "of" for part in token.arguments)
            if is_of or token.lower_name not in _COUNTING:
                return False
    return True


def _stripped(tokens: list[Any]) -> list[Any]:
    return tokens[tokens[0].type == "whitespace" : len(tokens) - (len(tokens) > 1 and tokens[-1].type == "whitespace")]


def _declared(style: str) -> _Declared:
    return _relevant(parse_blocks_contents(_DIGITS.sub("9", style), skip_comments=True, skip_whitespace=True))


def _relevant(nodes: Iterable[Any]) -> _Declared:
    """Return what declarations say of the properties that count here; the last of a name counts, as in a browser."""
    found: dict[str, tuple[str, bool]] = {}
    for node in nodes:
        if node.type != "declaration" or not (node.name.startswith("--") or node.lower_name in _RELEVANT):
            continue
        name = node.name if node.name.startswith("--") else node.lower_name
        value = _CALCULATED.sub(r"\1", serialize(node.value).strip().lower())
        is_known = name not in _WORDS or _WORDS[name].fullmatch(value)
        if is_known and (node.important or not found.get(name, ("", False))[1]):
            found[name] = value, node.important
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
    *channels, alpha = colour.to("srgb")
    red, green, blue = (round(255 * max(0.0, min(1.0, part))) for part in channels)
    return (red, green, blue), alpha


def background_of(style: Declarations) -> Colour | str | None:
    """Return the background colour; "unknown" for an image or the like, None if there is none or it is seen through."""
    value = style.get("background-color") or style.get("background")
    if not value or value in ("none", "inherit", "initial", "unset") or _is_see_through(value):
        return None
    parts = parse_component_value_list(value[:_MAX_COLOUR].strip())
    first = next((serialize(parts[:n]) for n, part in enumerate(parts) if part.type == "whitespace"), value)
    return colour_of(value) or colour_of(first) or "unknown"


def is_same(one: Colour, other: Colour) -> bool:
    """Return whether two colours look the same."""
    return all(abs(a - b) < _SAME for a, b in zip(one, other, strict=True))


def _is_transparent(style: Declarations) -> bool:
    for value in (style.get("opacity", ""), *_FILTERED.findall(style.get("filter", ""))):
        opacity = _LENGTH.match(value.strip())
        if opacity and float(opacity[1]) / (100 if opacity[2] == "%" else 1) < _OPAQUE:
            return True
    if "background-clip" in style or "-webkit-background-clip" in style:  # letters filled with the background image
        return False
    return _is_see_through(style.get("color", ""))


def _is_see_through(colour: str) -> bool:
    parsed = _parse_colour(colour)
    return parsed is not None and parsed[1] < _OPAQUE


def _is_tiny(style: Declarations) -> bool:
    size = pixels(style.get("font-size", ""))
    if size is None and (shorthand := re.search(r"(?:^|\s)([\d.]+[a-z%]*)\s*(?:/|\s)", style.get("font", ""))):
        size = pixels(shorthand[1])
    return size is not None and 0 <= size < _READABLE


def _is_off_page(style: Declarations) -> bool:
    sides = [pixels(part) for side in _SIDES for part in style.get(side, "").split()]
    found = _MOVED.search(style.get("transform", ""))
    moved = [pixels(part.strip()) for part in found[1].split(",") if "%" not in part] if found else []
    return any(length is not None and length <= -_OFF_PAGE for length in (*sides, *moved))


def _is_clipped(style: Declarations) -> bool:
    clip = f"{style.get('clip', '')} {style.get('clip-path', '')}"
    if _CLIPPED.search(clip) or _SCALED_AWAY.search(style.get("transform", "")):
        return True
    if 0 in map(pixels, style.get("scale", "").split()):
        return True
    overflow = " ".join(style.get(name, "") for name in _OVERFLOWS)
    if not any(word in overflow for word in ("hidden", "clip")):
        return False
    sizes = [pixels(style[name]) for name in _SIZES if name in style]
    return any(size is not None and 0 <= size <= _MIN_BOX for size in sizes)


def pixels(value: str) -> float | None:
    """Return about how many pixels a length is; None if it is not a length."""
    found = _LENGTH.match(value.strip())
    return float(found[1]) * _PIXELS[found[2]] if found else None
