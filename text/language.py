"""Detect the language of a text: a short one by its script, its small words, then py3langid; a long one by py3langid.

py3langid alone is unsure of a question of five words; the small words of four languages decide most of those.
"""

import math
import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from text.languages import word_set
from text.terms import listed_languages, question_words

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

#: languages written in the Latin script that a short question is tried against
_LATIN = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "tr", "cs", "da", "fi", "hu", "no", "ro", "vi", "id")
_BY_SCRIPT = {
    "HIRAGANA": ("ja",),
    "KATAKANA": ("ja",),
    "HANGUL": ("ko",),
    "CJK": ("zh",),  # of Japanese with kana, the script is that
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
#: the smallest probability that counts: smaller ones are rounded to zero
_LEAST = 1e-38
#: characters, among which words that are not ASCII alone are looked for; each sample has _SAMPLE of them at most
_SEARCHED = 100_000
_NO_CHARACTERS = frozenset({"Co", "Cn", "Cc", "Cs"})
_SIGNS = frozenset({"So", "Sm", "Sk", "Sc", "No"})
_JAPANESE = frozenset({"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC", "HALFWIDTH", "FULLWIDTH"})
_FEW_LETTERS: Final = 20
#: of 234 texts in 20 scripts and charsets none had more, of 2,085 in a wrong charset 1,590
_MOST_DISORDER, _MOST_DISORDER_UNSURE = 0.25, 0.05


def detect_language(text: str) -> str:
    """Return the ISO 639-1 code of a short text's language, or "und" when it has no letters."""
    script = _script_of(text)
    if not script:
        return "und"
    candidates = _BY_SCRIPT.get(script, _LATIN)
    if len(candidates) == 1:
        return candidates[0]
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


def load() -> None:
    """Load the model, 80 MB, before it is needed."""
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
def _identifier() -> "LanguageIdentifier":
    """Load the model once (half a second to unpack it); it is only read afterwards, so threads share it."""
    import numpy as np  # few importers of this need it
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier
    from py3langid.modelio import load_model

    from text.mapped import mapped

    unpacked = cache(lambda: load_model(MODEL_DIR / MODEL_FILE))
    scores, priors, classes, moves, rows, output = (
        mapped("py3langid", name, lambda at=at: np.asarray(unpacked()[at]))  # type: ignore[misc]
        for at, name in enumerate(("scores", "priors", "classes", "moves", "rows", "output"))
    )
    return LanguageIdentifier(
        scores, priors, classes.tolist(), moves.data, output.data, norm_probs=True, tk_row=rows.data
    )


def detect_page_language(text: str, declared: str = "") -> str:
    """Return the ISO 639-1 code of a page's language, "und" for a text without letters."""
    middle = max(0, len(text) // 2 - _SAMPLE // 2)
    sample = text[middle : middle + _SAMPLE]
    if not (declared.isascii() and declared.isalpha()):
        declared = ""
    if not any(char.isalpha() for char in sample):
        return declared or "und"
    lang, probability = classify_language(sample)
    if len(declared) == 2 and (len(sample) < _LONG or probability < _SURE):
        return declared
    return lang


@dataclass(frozen=True, kw_only=True)
class Letters:
    """What the words of a text that are not ASCII alone look like."""

    lang: str  #: the likeliest language
    probability: float  #: of that language
    lead: float  #: natural logarithm of how much likelier it is than a language of the middle
    disorder: float  #: share of the characters beyond ASCII that are where no language has them


def detect_by_letters(text: str) -> Letters:
    """Return what the words with characters beyond ASCII, and those next to them, look like."""
    words = text[:_SEARCHED].split()
    others = [at for at, word in enumerate(words) if not word.isascii()]
    near = {at for other in others[:_SAMPLE] for at in range(other - 2, other + 3)}
    sample = " ".join(words[at] for at in sorted(near) if 0 <= at < len(words))[:_SAMPLE]
    wrong, count = _out_of_place(sample)
    ranked = _identifier().rank(sample) if count else []
    if not ranked:
        return Letters(lang="und", probability=0.0, lead=0.0, disorder=0.0)
    (lang, probability), middle = ranked[0], max(ranked[len(ranked) // 2][1], _LEAST)
    return Letters(
        lang=str(lang),
        probability=float(probability),
        lead=math.log(max(probability, _LEAST) / middle),
        disorder=wrong / count,
    )


def is_gibberish(text: str) -> bool:
    """Return whether a text's letters make no words of any language, as those of a text in another charset do."""
    start = "" if text.isascii() else "".join(text[:_SEARCHED].split())
    others = [char for char in start if char > "\x7f"]
    if 5 * sum(unicodedata.category(char) in _NO_CHARACTERS or char == "\ufffd" for char in others) > len(start):
        return len(start) > _FEW_LETTERS
    if not 2 * len(others) > len(start) > _FEW_LETTERS:
        return False
    letters = detect_by_letters(text)
    return letters.disorder > (_MOST_DISORDER if letters.probability > 0.5 else _MOST_DISORDER_UNSURE)


def _out_of_place(text: str) -> tuple[float, int]:
    """Return the number of characters that are where no language has them, and of those beyond ASCII.

    A sign or the letter of another script within a word, a capital after a small letter, a mark on no letter; what is
    no character at all counts thrice.
    """
    wrong, count, before = 0, 0, " "
    for char in text:
        if char > "\x7f" or before > "\x7f":
            count += char > "\x7f"
            wrong += _is_out_of_place(char, before)
        before = char
    return wrong, count


def _is_out_of_place(char: str, before: str) -> int:
    kind = unicodedata.category(char)
    if kind in _NO_CHARACTERS or char == "\ufffd":
        return 3
    if kind in _SIGNS or char in "ªº":
        return before.isalpha()
    if kind == "Mn":
        return not (before.isalpha() or unicodedata.category(before) == "Mn")
    if not char.isalpha():
        return False
    if before.isalpha():
        return _script(char) != _script(before) or (char.isupper() and before.islower())
    return unicodedata.category(before) in _SIGNS and before not in "$€£¥"


@lru_cache(maxsize=4_096)
def _script(char: str) -> str:
    """Return the script of a letter; that of Japanese and Chinese is one."""
    name = unicodedata.name(char, "?").split()[0]
    return "CJK" if name in _JAPANESE else name
