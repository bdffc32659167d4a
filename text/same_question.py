"""Tell whether two questions mean the same, by rules so narrow that hardly any others pass.

Vectors do not tell: of pairs of SQuAD 2.0's questions with a cosine of .95, nine in ten ask for something else. So the
words that may differ are listed for each language (``[same]`` in its file); all others must be the same, in the same
order, apart from phrases such as "in winter" that stand elsewhere.
"""

import re
from functools import cache
from typing import Final

from text.language import detect_language
from text.languages import language
from text.terms import fold

_EDGES: Final = "\"'“”„«»‹›()[],;:!?¿¡…。？！、*`’"
_BETWEEN: Final = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
#: a plural of more letters than this counts as the singular: "news" is none
_SHORT: Final = 4
#: a letter, as in "vitamin A", and no article
_LETTER: Final = re.compile(r"(?<=\w )A(?!\w)")


def form_of(question: str, lang: str = "") -> str:
    """Return what is equal of questions that mean the same; an empty ``lang`` is detected."""
    lang = lang or detect_language(question)
    patterns, preposition = _rules(lang)
    named = {fold(word) for word in (each.strip(_EDGES) for each in question.split()[1:]) if word[:1].isupper()}
    text = " ".join(_BETWEEN.sub(" ", fold(_LETTER.sub("A_", question))).split()).rstrip(" ?!.")
    for pattern, name in patterns:
        text = " ".join(pattern.sub(name, text).split()).strip(" ,")
    phrases: list[list[str]] = []
    for part in re.split(r"(?<=\S)[,;:]\s", text):
        phrases.append([])
        for word in (each.strip(_EDGES).rstrip(".") or each for each in part.split()):
            if phrases[-1] and preposition.fullmatch(word):
                phrases.append([])
            phrases[-1].append(word if word in named else _singular(word))  # Adams is not Adam
    kept = sorted(filter(None, phrases), key=lambda phrase: phrase[0])  # "from A … from B" is not "from B … from A"
    return " | ".join(map(" ".join, kept)) or fold(question)


def _singular(word: str) -> str:
    is_plural = len(word) > _SHORT and word.isalpha() and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if is_plural else word


@cache
def _rules(lang: str) -> tuple[list[tuple[re.Pattern[str], str]], re.Pattern[str]]:
    of = language(lang)
    patterns = [(re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"), name) for name, pattern in of.same.items()]
    return patterns, re.compile(of.follow_up.get("prepositions", "(?!)"))
