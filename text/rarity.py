"""Weigh the words of a question by rarity: a rare word counts more than one that occurs in every tenth text.

The table has the weight of each common term in a mixed background corpus; it does not depend on the knowledge base,
which may hold one page. ``evals/fit/rarity.py`` writes it.
"""

import json
import math
from functools import cache
from importlib.resources import files

#: the weight of a term that is not in the table
RARE = 1.0
#: what remains of a term's weight when every text at hand holds it
_COMMON = 0.2


def rarity(term: str, lang: str) -> float:
    """Return a term's weight in (0, 1]; in a language without a table every term weighs 1."""
    return _table().get(lang, {}).get(term, RARE)


def rarity_among(term: str, lang: str, holding: float, texts: int) -> float:
    """Return a term's rarity in the language, lowered by the share of the ``texts`` that contain it (``holding``)."""
    among = math.log1p((texts - holding + 0.5) / (holding + 0.5)) / math.log1p((texts + 0.5) / 0.5)
    return rarity(term, lang) * (_COMMON + (1 - _COMMON) * among)


@cache
def _table() -> dict[str, dict[str, float]]:
    loaded: dict[str, dict[str, float]] = json.loads(files(__package__).joinpath("rarity.json").read_text("utf-8"))
    return loaded
