"""Split a text into sentences, in English, German, French, Spanish, Russian, Chinese and Japanese at least.

Rules only: no model, linear time. A line break in a list, after a heading or in code ends a sentence; one in wrapped
prose does not.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from text.languages import word_set

_CLOSERS = "\"'”’“»›«)\\]】〉》」』〕）］＂＇*_`"
_OPENERS = "\"'“‘„«»‹›([{¿¡「『（《【〈—–-*_`#… "

#: a terminator with its closing quotes and brackets, or a line break
_STOP = re.compile(
    rf"(?P<mark>(?<![.!?…؟])[.!?…؟]++[{_CLOSERS}]*+(?:[ \u00a0\u202f]»)?(?=\s|\Z))"
    rf"|(?P<wide>[。！？｡．।]++[{_CLOSERS}]*+)"
    r"|(?P<line>\n\s*+)"
)
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“„«‘¿¡—–/]+$")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_INITIALISM = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,3}")
_CODE = re.compile(r"[a-z_][\w]*(?:[._(]\w*)+")
_LIST_MARK = re.compile(r"(?:^|\n)[^\S\n]*(?:[-*•#>]\s*)?\(?(?:\d{1,3}|[A-Za-zА-я]|[ivxIVX]{1,4})$")
_BULLET = re.compile(r"[-*•‣◦▪–—#>|+]\s|\(?(?:\d{1,3}|[a-z]|[ivx]{2,4})[.)]\s")
_GOES_ON = re.compile(
    r"(?:it|its|they|their|them|this|these|that|those|then|otherwise|however|but|instead|in (?:that|this|such an?) case"
    r"|if so|for (?:this|that)|to do (?:this|so)|so|he|she|his|her|both|also"
    r"|er|sie|es|diese[rsmn]?|dann|sonst|aber|jedoch|dabei|dazu|damit|dadurch|daher|in diesem fall"
    r"|il|elle|ils|elles|cel[ua]i?|cela|alors|sinon|mais|dans ce cas)\b",
    re.IGNORECASE,
)


_LISTED = {
    name: frozenset(words.split())
    for name, words in tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8")).items()
}
_BEFORE_NUMBER = _LISTED["before_number"] | (word_set("short_months", "en", "de") - word_set("months", "en", "de"))
_STARTERS = _LISTED["starters"]
_MONTHS = word_set("months", "de") | word_set("short_months", "de") | {"jahrhundert", "jahrhunderts", "jahrtausend"}
#: passages are shorter, and split several times for one question
_MAX_REMEMBERED_CHARS = 5_000
_QUOTING = frozenset("とってはがをにでのもやな、，。とし")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the ``(start, end)`` of each sentence in order, without the white space around it.

    Every character that is not white space lies in exactly one span.
    """
    return list(_remembered(text) if len(text) <= _MAX_REMEMBERED_CHARS else _spans(text))


@lru_cache(maxsize=2048)
def _remembered(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(_spans(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in (*_ends(text), len(text)):
        piece = text[start:end]
        if piece.strip():
            yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
        start = end


def _ends(text: str) -> Iterator[int]:
    line_start = 0
    for stop in _STOP.finditer(text):
        if stop["line"] is not None:
            if _line_ends(text, line_start, stop):
                yield stop.start()
            line_start = stop.end()
        elif stop["wide"] is not None:
            # a quote in a sentence that goes on
            if not (stop[0][-1] in "」』）)”" and text[stop.end() : stop.end() + 1] in _QUOTING):
                yield stop.end()
        elif _mark_ends(text, stop):
            yield stop.end()


def _line_ends(text: str, line_start: int, stop: re.Match[str]) -> bool:
    if stop.group() != "\n":  # a blank line, or an indented next line
        return True
    line = text[line_start : stop.start()].rstrip()
    following = text[stop.end() : stop.end() + 40]
    wrapped = len(line) >= 45 and following[:1].islower() and not _CODE.match(following)
    return not wrapped or line[-1] in ".!?:;{}" or bool(_BULLET.match(following))


def _mark_ends(text: str, stop: re.Match[str]) -> bool:
    following = text[stop.end() : stop.end() + 80].lstrip()
    if not following:
        return True
    begin = following.lstrip(_OPENERS)
    if begin[:1].islower() and "\n" not in text[stop.end() : stop.end() + 2] and not _CODE.match(begin):
        return False
    if not stop.group().startswith(".") or stop.group().startswith(".."):
        return True
    before = text[max(0, stop.start() - 40) : stop.start()]
    found = _WORD_BEFORE.search(before)
    return found is None or not _dot_is_of_word(found.group(), before, begin)


def _dot_is_of_word(word: str, before: str, begin: str) -> bool:
    folded = word.casefold()
    following = _WORD.match(begin)
    starts = following is not None and following.group().casefold() in _STARTERS
    if _LIST_MARK.search(before) or folded in _LISTED["abbreviations"]:
        return True
    if folded in _BEFORE_NUMBER and begin[:1].isdigit():
        return True
    if word.isdigit():  # "3." is German for "third": before a month or century, or after an article
        after, words = following.group().casefold() if following else "", before[: -len(word)].split()
        is_named = bool(words) and words[-1].casefold() in _LISTED["before_ordinal"]
        return len(word) <= 3 and (after in _MONTHS or (is_named and after not in _STARTERS))
    if len(word) == 1 and word.isalpha():
        return not starts or (before[:-1].rstrip().endswith(".") and folded not in "дп")
    return (folded in _LISTED["maybe_last"] or bool(_INITIALISM.fullmatch(word))) and not starts


def goes_on(sentence: str) -> bool:
    """Return whether a sentence begins with a word that leans on the sentence before it: "It was built in 1871."."""
    return bool(_GOES_ON.match(sentence))


_ENGLISH = ("“", "”")
#: by ISO 639-1: what opens and what closes
_MARKS: dict[str, tuple[str, str]] = {
    "de": ("„", "“"),
    "fr": ("«\u00a0", "\u00a0»"),
    "es": ("«", "»"),
    "it": ("«", "»"),
    "pt": ("«", "»"),
    "pl": ("„", "”"),
    "ru": ("«", "»"),
    "ja": ("「", "」"),
}
#: every mark that opens a quotation
OPENING = tuple(dict.fromkeys(opening for opening, _ in (_ENGLISH, *_MARKS.values())))


def quoted(words: str, lang: str) -> str:
    """Return the words between the marks of a language (ISO 639-1), or English ones where it has none here."""
    opening, closing = _MARKS.get(lang, _ENGLISH)
    return f"{opening}{words}{closing}"
