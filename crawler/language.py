"""Decide a page's language: the one it declares, unless its text plainly is in another."""

from __future__ import annotations

from text.language import classify_language

#: characters from the middle of the text: the edges are often menus
_SAMPLE = 1_500
#: a text this long may contradict what the page declares
_LONG = 200
_SURE = 0.99


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
