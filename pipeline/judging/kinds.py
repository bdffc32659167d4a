"""The kind of a sentence, by its form: prose, a row, code, a heading …"""

import re
from typing import Literal

from domain import BlockKind

#: prose, rows (of a list or a table), snippets (code directly below a heading, which says what it does) and perhaps
#: pointers (to further reading) can answer; a signature is the name that documentation describes below it, a header the
#: first row of a table
SentenceKind = Literal["prose", "row", "snippet", "pointer", "heading", "question", "signature", "code", "header"]
ANSWERING: frozenset[SentenceKind] = frozenset({"prose", "row", "snippet", "pointer"})

#: the largest share of code marks among the characters of prose
_MARKS_IN_PROSE = 0.06
_CODE_MARKS = re.compile(r"[=_(){}\[\]<>|\\@$#*/]")
_CODE_BEGINS = re.compile(
    r">>>|\.\.\.(?:\s|$)|\$ |@\w|#|[\w.\[\]'\", ]+ = |[\w.]+\(|[)}\]]"
    r"|(?:import|from|def|class|with|for|while|if|else|elif|try|except|return|print|async|await)\b.*[:()=\w]$"
)
_SIGNATURE = re.compile(
    r"(?:(?:class|exception|async|abstract|static|classmethod|method|property|function|def|coroutine|module) ?)*"
    r"@?[A-Za-z_][\w:]*(?:\.\w+)*(?:\([^\n]{0,300}\)|\.\w+|_\w+)(?: (?:->|→|=|:) [^\n]{1,120})?"
    r"|--?[a-z][\w-]*(?:[ =,].{0,80})?"
)
_HEADING_WORDS, _PROSE_WORDS = 12, 4
#: "Accessibility: paths, steps, and seeing the lantern."
_POINTER = re.compile(r"[^\W\d_][\w' -]{2,40}: [^\W\d_A-Z][^.:\d]*\.?")
_ENDS = re.compile(r"[.!…:;。！][\"'”’»)\]]*(?: ?\[\d+\])*$")
CAPTION = re.compile(
    r"(?:fig(?:ure|ura|\.)|abb(?:ildung|\.)|tab(?:le|elle|leau|la|ela|el|\.)|afbeelding)\s*\d", re.IGNORECASE
)
_LABELLED = re.compile(r"[^\W\d][^:\d]{0,40}: .*\d")  #: "Phone: 040 555"
_ASKS = re.compile(r"[?？][\"'”’»)\]]*$")


def looks_like_code(text: str) -> bool:
    """Return whether a sentence is code, a signature or program output rather than prose."""
    return bool(_CODE_BEGINS.match(text)) or len(_CODE_MARKS.findall(text)) > _MARKS_IN_PROSE * len(text)


def kind_of(text: str, *, block: BlockKind | None = None, bulleted: bool = False) -> SentenceKind:
    """Return the kind of a sentence by its form, and by the kind of its block; None where that is not known."""
    if _SIGNATURE.fullmatch(text):
        return "signature"
    if " | " in text and block != "prose":
        return "row"
    if looks_like_code(text) and not _is_sentence_about_code(text):
        return "code"
    if asks(text):
        return "question"
    if bulleted and _POINTER.fullmatch(text):
        return "pointer"
    if _ENDS.search(text):
        return "prose"
    return _kind_without_stop(text, block, bulleted=bulleted)


def _kind_without_stop(text: str, block: BlockKind | None, *, bulleted: bool) -> SentenceKind:
    """Return the kind of a line without a full stop: a long one in a paragraph is a sentence that only lacks it."""
    is_long = len(text.split()) > _HEADING_WORDS
    if bulleted:
        return "row"
    if CAPTION.match(text):
        return "heading"
    if block == "prose":
        return "prose" if is_long else "row" if _LABELLED.match(text) else "heading"
    return "row" if is_long or any(map(str.isdigit, text)) else "heading"


def asks(text: str) -> bool:
    """Return whether a sentence ends in a question mark."""
    return _ASKS.search(text) is not None


def _is_sentence_about_code(text: str) -> bool:
    """Return whether a line with code marks is a sentence about code, or announces some: "Edit /etc/app.conf:"."""
    if text.endswith(":") and text[0].isupper() and not _CODE_BEGINS.match(text):
        return True
    plain = [word for word in text.split() if word.strip("(),.;:'\"").isalpha()]
    return text.endswith((".", "!", ".)")) and len(plain) >= _PROSE_WORDS
