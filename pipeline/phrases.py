"""Say the phrases that stand around answers in the asker's language; they are in the files of ``text/languages``."""

from __future__ import annotations

from typing import Literal

from text.languages import language

Phrase = Literal[
    "unknown", "near", "nothing_near", "answers", "near_but", "beside", "tried", "read_pages", "waiting", "unsure",
    "disagree", "old", "partly", "published", "modified", "read", "newest", "own", "no_answer", "not_asked",
    "asks_back", "what_is", "said_about", "not_found", "cites_nothing", "strange_address", "cut_off", "other_language",
    "misquoted", "none_stands", "contradicted", "unconfirmed",
]  # fmt: skip


def say(phrase: Phrase, lang: str, **values: object) -> str:
    """Return a phrase in the language (ISO 639-1) with its values; in English where there is none for it."""
    phrases = language(lang).phrases or language("en").phrases
    return phrases[phrase].format(**values)
