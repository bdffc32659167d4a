"""Which language a page is in: what it declares, unless its text plainly says otherwise."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

#: of the text, from its middle: the edges are often menus
_SAMPLE = 1_500
#: a text this long may contradict what the page declares
_LONG = 200
_SURE = 0.99


def detect(text: str, declared: str = "") -> str:
    """Return the ISO 639-1 code of a page's language, "und" for a text without letters."""
    middle = max(0, len(text) // 2 - _SAMPLE // 2)
    sample = text[middle : middle + _SAMPLE]
    if not any(char.isalpha() for char in sample):
        return declared or "und"
    lang, sureness = _identifier().classify(sample)
    if declared and len(declared) == 2 and (len(sample) < _LONG or sureness < _SURE):
        return declared
    return str(lang)


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
