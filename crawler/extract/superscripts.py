"""Write raised and lowered text so that its meaning stays: 10^6, m², 19.99, H2O; no mark of a footnote joins a word.

A mark that links to its note is left out, as the sign that links to a heading is; another one becomes " [1]".
"""

import re
from typing import Any

from lxml import etree

from crawler.extract.html import names_of

_TAGS = frozenset({"sup", "sub"})
#: within a line: text in front of any other element is not the base of raised text
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data dfn em font i ins kbd label mark q s samp small span strong time tt u "
    "var sup sub".split()
)
_BASE = 40  #: characters before raised text that are looked at
_NUMBER = re.compile(r"[+\-−–]?\d+(?:[.,]\d+)?")
_CHARGE = re.compile(r"\d{0,2}[+\-−–]")
_NOTE = re.compile(r"[\[(]?(?:\d{1,3}(?:\s*[,–-]\s*\d{1,3})*|[a-z])[\])]?|[*†‡§¶]+")
_BRACKETED = re.compile(r"[\[(]?(\d{1,3})[\])]")
_NOTE_NAMES = re.compile(r"(?:^|[\s_-])(?:reference|note-?ref|foot-?note|end-?note|fn)(?:$|[\s_-])")
_WORD_BEFORE = re.compile(r"[^\W\d_]+$")
#: of three letters and more, which have exponents
_BASES = frozenset("sin cos tan cot sec log mol min rad bar".split())
_EXPONENTS = frozenset("ijkmnpqxyz")
_PRICE = re.compile(r"[$£€¥]\s?\d[\d.,']*$")
_CURRENCY = re.compile(r"\s*(?:[$£€¥]|[A-Z]{3}\b|(?:euro|dollar|pound|franc|peso|kron)[a-z]{0,2}\b)", re.IGNORECASE)
_EXPRESSION = re.compile(r"(?=.*\w)(?=.*[\d+*/=−-])[\w.,+*/=()−-]{1,16}")
_RAISED = str.maketrans("0123456789+-−–.,", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻·\u2019")


def write_superscripts(tree: Any) -> None:
    """Replace the raised and lowered elements of an lxml tree by text, in place."""
    if next(tree.iter(*_TAGS), None) is None:
        return
    before = ""
    within: Any = None  # the outermost raised element that is open
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        is_inline = element.tag in _INLINE
        if event == "start":
            before = before if is_inline else ""
            if within is None and element.tag in _TAGS:
                within = element
            elif within is None:
                before = (before + (element.text or ""))[-_BASE:]
            continue
        if element is within:
            before, within = (before + _write(element, before))[-_BASE:], None
        if within is None:
            before = ((before if is_inline else "") + (element.tail or ""))[-_BASE:]


def _write(element: Any, before: str) -> str:
    text = " ".join(element.text_content().split())
    if element.tag == "sub":
        written = _lowered(text, before)
    elif _NOTE.fullmatch(text) and _links_to_note(element):
        written = ""
    else:
        written = write_raised(text, before, (element.tail or "")[:_BASE])
    del element[:]
    element.tag, element.text = "span", written
    return written


def _links_to_note(element: Any) -> bool:
    for anchor in (element, *element.iter("a"), element.getparent()):
        is_link = anchor.tag == "a" and "#" in (anchor.get("href") or "")
        if is_link or anchor.get("role") == "doc-noteref" or _NOTE_NAMES.search(names_of(anchor)):
            return anchor is not element.getparent() or is_link
    return False


def write_raised(text: str, before: str, after: str) -> str:
    """Return raised text so that its meaning stays between the text before and after it."""
    last = before[-1:]
    found = _WORD_BEFORE.search(before)
    word = found[0] if found else ""
    if _CHARGE.fullmatch(text):
        return text.translate(_RAISED)
    if text.isdecimal() and after[:1] in ("/", "⁄"):  # 5<sup>1</sup>/<sub>2</sub>
        return f" {text}" if last.isdecimal() else text
    if text.isdecimal() and len(text) == 2 and last.isdecimal():  # cents or minutes, unless it is an exponent
        if _PRICE.search(before) or (_CURRENCY.match(after) and not re.search(r"(?<!\d)10$", before)):
            return f".{text}"
        if text[0] == "0":
            return f":{text}"
    if _NUMBER.fullmatch(text):
        return _number(text, last, word, after)
    if noted := _BRACKETED.fullmatch(text):
        return f" [{noted[1]}]"
    if text in ("o", "0") and last.isdecimal() and after.lstrip()[:1] in ("C", "F"):
        return "°"
    if len(text) == 1 and text in _EXPONENTS and (last.isdecimal() or len(word) == 1 or last == ")"):
        return f"^{text}"
    if (last.isalnum() or last == ")") and _EXPRESSION.fullmatch("".join(text.split())):
        return f"^({''.join(text.split())})"
    is_apart = " " in text or (last.islower() and text[:2].isupper() and len(text) > 1)
    return f" {text}" if is_apart and last.isalnum() else text


def _number(number: str, last: str, word: str, after: str) -> str:
    if last.isdecimal() or last in (")", "]", "}"):
        return f"^{number}"
    if word and (len(word) < 3 or word.casefold() in _BASES or not number[0].isdecimal()):
        return number.translate(_RAISED)
    if word:
        return f" [{number}]"
    if last.strip():  # the mark of a note behind a full stop; cents behind a sign
        return number if last in "$£€¥" else ""
    if after[:1].isalpha() and not after[1:3].isalpha():  # an isotope
        return number.translate(_RAISED)
    return f"[{number}]" if after[:1].isspace() else f"[{number}] "


def _lowered(text: str, before: str) -> str:
    last = before[-1:]
    found = _WORD_BEFORE.search(before)
    if text.isdecimal():
        return f"_{text}" if last.isdecimal() else text
    if text.isalnum():
        is_index = last.isdecimal() or (found is not None and (len(found[0]) > 2 or len(found[0]) == len(text) == 1))
        return f"_{text}" if is_index else text
    compact = "".join(text.split())
    if last.isalnum() and _EXPRESSION.fullmatch(compact):
        return f"_({compact})"
    return f" {text}" if " " in text and last.isalnum() else text
