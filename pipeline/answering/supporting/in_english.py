"""Put a sentence and its quotes into English word by word, so that those of different languages can be compared."""

from __future__ import annotations

import re
from typing import Final

from text.gloss.gloss import gloss
from text.gloss.language import glossed_from
from text.gloss.lexicon import LANGUAGES

#: what stands before a word without being one of its own: "l'", "dell'"; and "ne", which "pas" says again
_ELIDED: Final = re.compile(r"\b(?:ne\s+|\w{1,5}['’](?=\w))", re.IGNORECASE)
_ELIDING: Final = frozenset({"fr", "it"})


def is_comparable(lang: str) -> bool:
    """Return whether texts in a language (ISO 639-1) can be put into English."""
    return lang == "en" or lang in LANGUAGES


def in_english(text: str, lang: str) -> str:
    """Return the words of a text in English, in their order; in a language without a lexicon the text itself."""
    text = _ELIDED.sub("", text) if lang in _ELIDING else text
    return gloss(text, lang).text if lang in LANGUAGES else text


def language_of(sentence: str, lang: str) -> str:
    """Return the language of a sentence that should be in ``lang``: a model may write it in its source's."""
    return glossed_from(sentence) or "en" if is_comparable(lang) or lang in ("und", "") else lang
