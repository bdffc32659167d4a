"""Find numbers and sums of money in a text: in digits or letters, English or German, with their units."""

import re
from collections.abc import Iterator, Mapping

from pipeline.answering.values.value import BARE, SHARE, UNIT, Unit, Value
from text.languages import language

_SPACE = "[ \u00a0\u202f]"
_DIGITS = rf"\d{{1,3}}(?:{_SPACE}\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*"
_LANGUAGES = (language("en"), language("de"))
_TENS = {word: 10.0 * at for of in _LANGUAGES for at, word in enumerate(of.tens, 2)}
_ONES = {word: float(at) for of in _LANGUAGES for at, word in enumerate(of.ones)} | {
    word: value for of in _LANGUAGES for word, value in of.numbers.items()
}
_FOLDED_TENS = {word.casefold(): value for word, value in _TENS.items()}
_FOLDED_ONES = {word.casefold(): value for word, value in _ONES.items()}
_SCALES: Mapping[str, float] = {word: value for of in _LANGUAGES for word, value in of.scales.items()}
#: only in a sum of money: elsewhere "m" is metres
_SHORT_SCALES = frozenset({"m", "bn"})
_PARTS: Mapping[str, float] = {word: value for of in _LANGUAGES for word, value in of.parts.items()}
_WORD = "|".join(sorted({*_ONES, *_TENS}, key=len, reverse=True))
_TENS_WORD = "|".join(_TENS)
_ONE_WORD = "|".join([*(word for of in _LANGUAGES for word in of.ones[1:10]), "ein"])
_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−](?=\d))?(?:(?P<digits>{_DIGITS})"
    rf"|(?P<tens>{_TENS_WORD})[- ](?P<after>{_ONE_WORD})(?!\w)"
    rf"|(?P<before>{_ONE_WORD})und(?P<german>{_TENS_WORD})(?!\w)"
    rf"|(?P<word>{_WORD})(?!\w)|(?:an?|eine?|one) (?=(?:{'|'.join(_SCALES)})(?!\w))"
    rf"|(?:an? |one |eine? |die )?(?P<part>{'|'.join(_PARTS)})(?!\w))"
    rf"(?:{_SPACE}?(?P<scale>{'|'.join(sorted(_SCALES, key=len, reverse=True))})(?![\w]))?",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:about|around|approximately|approx\.?|roughly|nearly|almost|over|under|more than|less than|fewer than|up to"
    r"|at least|at most|some|circa|ca\.|c\.|~|etwa|rund|ungefähr|fast|knapp|über|unter|mehr als|weniger als|bis zu"
    r"|mindestens|höchstens|gut) ?(?:the |a |[$£€¥] ?)?$",
    re.IGNORECASE,
)
#: how far off a number with "about" may be, as a share
_ROUGHLY = 0.1
#: the exact digits of a number with trailing zeros, at least
_SURE_DIGITS = 2
#: 3 and 4 are two numbers; 3 and 3.4 may be one
_JUST_BELOW_HALF = 0.49

_CURRENCIES: Mapping[str, str] = {
    "$": "USD", "dollar": "USD", "dollars": "USD", "usd": "USD", "us-dollar": "USD", "€": "EUR", "euro": "EUR",
    "euros": "EUR", "eur": "EUR", "£": "GBP", "pound": "GBP", "pounds": "GBP", "gbp": "GBP", "pfund": "GBP",
    "¥": "JPY", "yen": "JPY", "francs": "CHF", "franken": "CHF", "chf": "CHF", "mark": "DEM", "marks": "DEM",
}  # fmt: skip
#: characters before a number in which its currency, or "about", can stand
_BEFORE = 30
_CURRENCY_BEFORE = re.compile(r"(?:US|A|C|NZ|HK)?([$£€¥]) ?$|\b(USD|EUR|GBP|CHF) $")
_CURRENCY_AFTER = re.compile(
    rf" ?(?:([$£€¥])|({'|'.join(sorted(_CURRENCIES.keys() - set('$£€¥'), key=len, reverse=True))})(?!\w))",
    re.IGNORECASE,
)


def numbers_in(text: str, lang: str) -> Iterator[Value]:
    """Yield each number and sum of money in order; ``lang`` decides how to read "1.000"."""
    for match in _NUMBER.finditer(text):
        number = _read(match, lang)
        if number is not None:
            yield _with_unit(text, match, *number)


def _with_unit(text: str, match: re.Match[str], exact: float, half: float) -> Value:
    """Return the number as a value, with the currency or unit beside it."""
    start, end = match.span()
    before = max(0, start - _BEFORE)
    currency = _CURRENCY_BEFORE.search(text, before, start)
    scale = (match["scale"] or "").casefold()
    if scale in _SHORT_SCALES and not currency:
        exact, half, end = exact / _SCALES[scale], half / _SCALES[scale], match.start("scale")
    behind = None if currency else _CURRENCY_AFTER.match(text, end)
    start = currency.start() if currency else start
    slack = half + (_ROUGHLY * abs(exact) if _ABOUT.search(text, max(0, start - _BEFORE), start) else 0.0)
    if priced := currency or behind:
        symbol = next(group for group in priced.groups() if group)
        unit, end = Unit(measures=_CURRENCIES[symbol.casefold()]), max(end, priced.end())
    elif match["part"]:
        unit = SHARE
    elif measured := UNIT.match(text, end):
        unit, end = Unit.named(measured[1]), measured.end()
    else:
        unit = BARE
    return Value(
        kind="money" if priced else "number",
        start=start,
        end=end,
        low=(exact - slack) * unit.factor + unit.offset,
        high=(exact + slack) * unit.factor + unit.offset,
        unit=unit,
    )


def _read(match: re.Match[str], lang: str) -> tuple[float, float] | None:
    """Return a number, and half a unit of its last exact digit."""
    scale = _SCALES[match["scale"].casefold()] if match["scale"] else 1.0
    if match["digits"]:
        read = _digits(match["digits"], lang)
        if read is None:
            return None
        exact, half = read
        return (-exact if match["sign"] else exact) * scale, half * scale
    if match["part"]:
        return _PARTS[match["part"].casefold()], 0.0
    words = {name: (match[name] or "").casefold() for name in ("tens", "after", "before", "german", "word")}
    exact = sum(_FOLDED_TENS[words[name]] for name in ("tens", "german") if words[name])
    exact += sum(
        _FOLDED_ONES.get(words[name], 1)
        for name in ("after", "before", "word")
        if words[name] not in {"", *_FOLDED_TENS}
    )
    exact += _FOLDED_TENS.get(words["word"], 0)
    return (exact or (0 if words["word"] else 1)) * scale, _JUST_BELOW_HALF * scale


def _digits(text: str, lang: str) -> tuple[float, float] | None:
    """Read digits with separators; the language and the groups decide which separator is the decimal point."""
    bare = re.sub(_SPACE, "", text)
    thousands, point = (".", ",") if lang == "de" else (",", ".")
    grouped = re.fullmatch(rf"\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+(?:{re.escape(point)}\d+)?", bare)
    if grouped:
        bare = bare.replace(thousands, "")
    bare = bare.replace(point, ".")
    if bare.count(".") > 1 or "," in bare:
        return None  # a version, a section, a list
    whole, _, decimals = bare.partition(".")
    if decimals:
        return float(bare), 0.5 * 10.0 ** -len(decimals)
    zeros = len(whole) - len(whole.rstrip("0"))
    place = min(zeros, max(0, len(whole) - _SURE_DIGITS))
    return float(whole), 0.5 * 10.0**place if place else _JUST_BELOW_HALF
