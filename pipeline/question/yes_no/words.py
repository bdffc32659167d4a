"""The words for yes and no by language."""

from __future__ import annotations

import re
from typing import Final, Literal

YesNo = Literal["", "yes", "no"]

_WORDS: Final = {
    "en": {"yes": "Yes", "no": "No"},
    "de": {"yes": "Ja", "no": "Nein"},
    "fr": {"yes": "Oui", "no": "Non"},
    "es": {"yes": "Sí", "no": "No"},
    "it": {"yes": "Sì", "no": "No"},
    "pt": {"yes": "Sim", "no": "Não"},
    "nl": {"yes": "Ja", "no": "Nee"},
    "pl": {"yes": "Tak", "no": "Nie"},
    "ru": {"yes": "Да", "no": "Нет"},
    "zh": {"yes": "是", "no": "否"},
    "ja": {"yes": "はい", "no": "いいえ"},
}
LANGUAGES: Final = frozenset(_WORDS)
#: "Si," without its accent is "if"; "No. 10" is a number
_LEADING: Final = re.compile(r"(yes|ja|oui|sí|sì|sim|(no|nein|non|não|nee))\s*(?=[,;:!–—]|\.(?!\s*\d))", re.IGNORECASE)


def yes_no_word(yes_no: YesNo, lang: str) -> str:
    """Return "Yes" or "No" in the language (ISO 639-1), in English where there is none for it; "" for neither."""
    return _WORDS.get(lang, _WORDS["en"])[yes_no] if yes_no else ""


def leading_yes_no(sentence: str) -> YesNo:
    """Return the yes or no that a model's sentence begins with, or ""."""
    found = _LEADING.match(sentence)
    if found is None:
        return ""
    return "no" if found[2] else "yes"
