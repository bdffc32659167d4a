"""Detect the language of a text: a short one by its script, its small words, then py3langid; a long one by py3langid.

py3langid alone is unsure of a question of five words; the small words of four languages decide most of those.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from text.languages import word_set
from text.stopwords import listed_languages, question_words

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

#: languages written in the Latin script that a short question is tried against
_LATIN = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "tr", "cs", "da", "fi", "hu", "no", "ro", "vi", "id")
_BY_SCRIPT = {
    "HIRAGANA": ("ja",),
    "KATAKANA": ("ja",),
    "HANGUL": ("ko",),
    "CJK": ("zh", "ja"),
    "CYRILLIC": ("ru", "uk", "bg", "sr"),
    "ARABIC": ("ar", "fa", "ur"),
    "GREEK": ("el",),
    "HEBREW": ("he",),
    "THAI": ("th",),
    "DEVANAGARI": ("hi", "mr", "ne"),
}
_WORD = re.compile(r"[^\W\d_]+")
#: "dov'è", "cos'era": only Italian elides these before forms of "essere"; a quoted one is asked about
_ITALIAN_ELISION = re.compile(r"(?<![\w\"'“„«‘])(?:dov|cos|com|quand|c)['’](?:è|era|erano)\b", re.IGNORECASE)
#: characters from the middle of the text: the edges are often menus
_SAMPLE = 1_500
#: a text this long may contradict what the page declares
_LONG = 200
_SURE = 0.99


def detect_language(text: str) -> str:
    """Return the ISO 639-1 code of a short text's language, or "und" when it has no letters."""
    script = _script_of(text)
    if not script:
        return "und"
    candidates = _BY_SCRIPT.get(script, _LATIN)
    if len(candidates) == 1:
        return candidates[0]
    if script == "CJK":
        return "zh"
    if script == "LATIN" and _ITALIAN_ELISION.search(unicodedata.normalize("NFC", text)):
        return "it"
    if script == "LATIN" and (lang := _by_small_words(text)):
        return lang
    ranked = _identifier().rank(text)
    return next((str(lang) for lang, _ in ranked if lang in candidates), "und")


def classify_language(text: str) -> tuple[str, float]:
    """Return the likeliest language (ISO 639-1) of a text of several sentences, and its probability."""
    lang, probability = _identifier().classify(text)
    return str(lang), probability


def load_before_fork() -> None:
    """Load the model, 80 MB, so that all processes that are forked from this one share it."""
    _identifier()


def _script_of(text: str) -> str:
    """Return the script of most letters; any kana makes a text Japanese."""
    counts: dict[str, int] = {}
    for char in text:
        if char.isalpha():
            script = unicodedata.name(char, "?").split()[0]
            if script in {"HIRAGANA", "KATAKANA"}:
                return script
            counts[script] = counts.get(script, 0) + 1
    return max(counts, key=lambda script: counts[script]) if counts else ""


def _by_small_words(text: str) -> str:
    """Return the one language that explains most of the text's words, or "" when two explain as many or none does."""
    words = [word.casefold() for word in _WORD.findall(text)]
    scores = {
        lang: sum((word in word_set("stop_words", lang)) + 2 * (word in question_words(lang)) for word in words)
        for lang in listed_languages()
    }
    best, second = sorted(scores.values(), reverse=True)[:2]
    return max(scores, key=lambda lang: scores[lang]) if best > second else ""


@cache
def _identifier() -> LanguageIdentifier:
    """Load the model once (half a second); it is only read afterwards, so threads share it."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # imports numpy, which few importers of this need

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def detect_page_language(text: str, declared: str = "") -> str:
    """Return the ISO 639-1 code of a page's language, "und" for a text without letters."""
    middle = max(0, len(text) // 2 - _SAMPLE // 2)
    sample = text[middle : middle + _SAMPLE]
    if not any(char.isalpha() for char in sample):
        return declared or "und"
    lang, probability = classify_language(sample)
    if len(declared) == 2 and (len(sample) < _LONG or probability < _SURE):
        return declared
    return lang
