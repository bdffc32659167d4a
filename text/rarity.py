"""How much a word of a question says: a rare word says more, a word that stands in every tenth text says little.

The table counts in how many texts of a mixed background each common term stands; it does not know the knowledge base,
which may hold one page. It is written by ``evals/fit/rarity.py``.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files

#: what a term counts that the table does not know
RARE = 1.0
#: what remains of a term's weight when every text at hand holds it
_COMMON = 0.2


def rarity(term: str, lang: str) -> float:
    """Return a weight in (0, 1]; terms of a language without a table all weigh 1."""
    return _table().get(lang, {}).get(term, RARE)


def rarity_among(term: str, lang: str, holding: float, texts: int) -> float:
    """Return the rarity of a term in general and among the ``texts`` at hand, of which ``holding`` hold it."""
    among = math.log1p((texts - holding + 0.5) / (holding + 0.5)) / math.log1p((texts + 0.5) / 0.5)
    return rarity(term, lang) * (_COMMON + (1 - _COMMON) * among)


def rarity_of(texts_with_term: int, texts: int) -> float:
    """Return the weight of a term from its document frequency: its BM25 idf, as a share of a hapax's."""
    return min(RARE, _idf(texts_with_term, texts) / _idf(1, texts))


def _idf(texts_with_term: int, texts: int) -> float:
    return math.log(1 + (texts - texts_with_term + 0.5) / (texts_with_term + 0.5))


@cache
def _table() -> dict[str, dict[str, float]]:
    loaded: dict[str, dict[str, float]] = json.loads(files(__package__).joinpath("rarity.json").read_text("utf-8"))
    return loaded
