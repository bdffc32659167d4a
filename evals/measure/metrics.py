"""Metrics of rankings and of answers, each with its source."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Collection, Sequence

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
#: scripts that put no space between words: each character counts as one
_UNSPACED = re.compile(r"([\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])")

# --- rankings: documents, best first, each once; gold is never empty


def recall_at(k: int, ranking: Sequence[int], gold: Collection[int]) -> float:
    """Return the share of the gold documents that are among the first k."""
    return len(set(gold) & set(ranking[:k])) / len(gold)


def all_at(k: int, ranking: Sequence[int], gold: Collection[int]) -> float:
    """Return 1 when every gold document is among the first k, else 0."""
    return float(set(gold) <= set(ranking[:k]))


def reciprocal_rank_at(k: int, ranking: Sequence[int], gold: Collection[int]) -> float:
    """Return 1 / the rank of the first gold document within the first k, else 0 (MRR's part of one question)."""
    return next((1 / rank for rank, document in enumerate(ranking[:k], start=1) if document in gold), 0.0)


def ndcg_at(k: int, ranking: Sequence[int], gold: Collection[int]) -> float:
    """Return Σ 1/log2(1 + rank) over the gold documents in the first k, over its greatest value (Järvelin 2002)."""
    gain = sum(1 / math.log2(1 + rank) for rank, document in enumerate(ranking[:k], start=1) if document in gold)
    return gain / sum(1 / math.log2(1 + rank) for rank in range(1, min(k, len(gold)) + 1))


# --- answers: texts, compared as SQuAD's evaluation script does (Rajpurkar 2016)


def normalised(text: str) -> str:
    """Return the text in lower case, without punctuation, English articles and needless space."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def contains(text: str, gold: str) -> bool:
    """Return whether the text contains the gold answer, both normalised; a number is not found inside another."""
    wanted = normalised(gold)
    before, after = (r"(?<!\d)" if wanted[:1].isdigit() else ""), (r"(?!\d)" if wanted[-1:].isdigit() else "")
    return bool(wanted) and re.search(before + re.escape(wanted) + after, normalised(text)) is not None


def exact(text: str, gold: str) -> bool:
    """Return whether both are the same, normalised."""
    return normalised(text) == normalised(gold)


def f1(text: str, gold: str) -> float:
    """Return the harmonic mean of precision and recall over the words that both texts share."""
    given, wanted = _tokens(text), _tokens(gold)
    if not given or not wanted:
        return float(given == wanted)
    shared = (Counter(given) & Counter(wanted)).total()
    return 2 * shared / (len(given) + len(wanted))


def _tokens(text: str) -> list[str]:
    return _UNSPACED.sub(r" \1 ", normalised(text)).split()
