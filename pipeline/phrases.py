"""Say the phrases around answers in the asker's language; they are in the files of ``text/languages``."""

import re
from functools import cache
from typing import Final, Literal

from text.languages import LANGUAGES, language

Phrase = Literal[
    "unknown", "searched", "near", "nothing_near", "not_mentioned", "answers", "near_but", "tried", "read_pages",
    "waiting", "perhaps", "old", "partly", "published", "modified", "read", "no_answer",
    "not_asked", "asks_back", "what_is", "said_about", "not_found", "cites_nothing", "strange_address", "cut_off",
    "by_operator", "other_language", "misquoted", "none_stands", "contradicted", "unconfirmed", "greeting", "the_page",
]  # fmt: skip


def say(phrase: Phrase, lang: str, **values: object) -> str:
    """Return a phrase in the language (ISO 639-1) with its values; in English where there is none for it."""
    phrases = language(lang).phrases or language("en").phrases
    return phrases[phrase].format(**values)


#: a longer text says more than a greeting
_LONGEST: Final = 60
_MARKS: Final = re.compile(r"[^\w\s'’]+|_")


def greeted_in(text: str, lang: str = "en") -> str:
    """Return the language of a text that only greets, thanks or takes leave; "" for any other text.

    An emoji or other sign without a word is one, too: in ``lang``.
    """
    plain = " ".join(_MARKS.sub(" ", text).split()) if len(text) <= _LONGEST else text
    if not plain:
        return lang if text.strip() else ""
    return next((lang for lang in ("en", *sorted(LANGUAGES)) if _greetings(lang).fullmatch(plain)), "")


@cache
def _greetings(lang: str) -> re.Pattern[str]:
    words = "|".join(re.escape(words) for words in language(lang).greetings)
    return re.compile(rf"(?:{words})(?: (?:{words}|wellread))*", re.IGNORECASE)
