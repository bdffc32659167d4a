"""Remove invisible characters: they control a terminal, change the reading direction, or hide words.

Keeps those a language needs: joiners between letters of its script, one variation selector after an emoji.
"""

import re

#: C0 and C1 but tab and line feed, DEL, halves of surrogate pairs: they separate words, so they become spaces
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]+")
_LINES = re.compile("[\u2028\u2029]")
#: soft hyphens, marks and overrides of direction, zero-width spaces, fillers, invisible operators, annotations, tags
_UNSEEN = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
#: all joiners but one between two non-ASCII letters; all variation selectors but one after a character with variants
_IDLE = re.compile(
    "(?<![^\x00-\x7f\\s])[\u200c\u200d]+|(?<=[\u200c\u200d])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f\\s])"
    "|(?<![^\x00-\x7f\\s]|[0-9#*])[\ufe00-\ufe0f]+|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+"
)
_MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
#: more marks on one letter than any language uses
_PILED = re.compile(f"({_MARKS}{{4}}){_MARKS}+")
_SETS = "".join(kind.strip("[]+") for kind in (_CONTROLS.pattern, _LINES.pattern, _UNSEEN.pattern, _MARKS))
#: one set of characters: a search for alternatives takes six times as long
_ANY = re.compile(f"[{_SETS}\u200c\u200d\ufe00-\ufe0f]")


def strip_invisible(text: str) -> str:
    """Return the visible text; control characters become spaces, other invisible characters are removed."""
    if _ANY.search(text) is None:
        return text
    text = _UNSEEN.sub("", _LINES.sub("\n", _CONTROLS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))))
    return _PILED.sub(r"\1", _IDLE.sub("", text))
