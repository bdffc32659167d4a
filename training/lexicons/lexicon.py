"""Count which English words stand for a word, in sentences whose words were aligned; choose one of them."""

from __future__ import annotations

import math
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.errors import WellreadError
from store.embedders import Embedder
from training.lexicons.texts import Words

_ALIGNER: Final = "eflomal-align"
#: English words that stand for one, at most
_LONGEST: Final = 3
#: of what may stand for a word, the most frequent are compared, each seen at least this share of the first's times
_COMPARED, _SHARE = 3, 0.25
#: what the cosine of a word and its English counts beside the logarithm of how often they stand for each other
_COSINE: Final = 3.0
#: the least cosine of what was seen once, and twice
_LEAST: Final = {1: 0.35, 2: 0.15}
_AT_A_TIME: Final = 2000

Links = frozenset[tuple[int, int]]


class AlignerMissing(WellreadError):
    """The program that aligns words is not installed."""

    def __init__(self) -> None:
        super().__init__(f"{_ALIGNER} is not installed; it comes with `pip install eflomal`, which needs a C compiler.")


def align(pairs: Sequence[tuple[Words, Words]]) -> Iterable[tuple[Links, Links]]:
    """Yield of each pair which words stand for each other, as seen from both languages (Östling, Tiedemann 2016)."""
    program = shutil.which(_ALIGNER)
    if program is None:
        raise AlignerMissing
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = "".join(f"{' '.join(one)} ||| {' '.join(english)}\n" for one, english in pairs)
        (folder / "pairs").write_text(lines, "utf-8")
        files = ["-i", f"{name}/pairs", "-f", f"{name}/there", "-r", f"{name}/back"]
        subprocess.run([program, "-m", "3", *files], check=True)  # noqa: S603 - found on the path, files of ours
        with (folder / "there").open() as there, (folder / "back").open() as back:
            for one, other in zip(there, back, strict=True):
                yield _links(one), _links(other)


def count(pairs: Iterable[tuple[Words, Words]], links: Iterable[tuple[Links, Links]]) -> Mapping[str, Counter[str]]:
    """Return of each word how often which English words stood for it.

    They are neighbours, and no other word of the sentence surely stands for one of them.
    """
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for (words, english), (there, back) in zip(pairs, links, strict=True):
        sure = there & back
        for at, word in enumerate(words):
            taken = {other for one, other in sure if one != at}
            linked = {other for one, other in there | back if one == at} - taken
            for some in (linked, linked & {other for one, other in sure if one == at}):
                if some and max(some) - min(some) == len(some) - 1 < _LONGEST:
                    seen[word]["".join(f"{english[other]} " for other in sorted(some)).rstrip()] += 1
                    break
    return {word: found for word, found in seen.items() if len(word) > 1}


def choose(seen: Mapping[str, Counter[str]], embedder: Embedder) -> dict[str, str]:
    """Return one English word or more for each word: seen often, and near in the embedder's space."""
    found = {word: _frequent(of) for word, of in seen.items()}
    vectors = _embed({*found, *(english for some in found.values() for english, _ in some)}, embedder)
    chosen = {}
    for word, some in found.items():
        scored = [
            (math.log(times) + _COSINE * cosine, english)
            for english, times in some
            if (cosine := float(vectors[word] @ vectors[english])) >= _LEAST.get(times, -1.0) or english == word
        ]
        if scored:
            best = max(scored)[1]
            chosen[word] = word if word in best.split() else best
    return chosen


def _frequent(of: Counter[str]) -> list[tuple[str, int]]:
    some = of.most_common(_COMPARED)
    return [(english, times) for english, times in some if times >= _SHARE * some[0][1]]


def _embed(texts: Iterable[str], embedder: Embedder) -> dict[str, NDArray[np.float32]]:
    found: dict[str, NDArray[np.float32]] = {}
    ordered = sorted(texts)
    for at in range(0, len(ordered), _AT_A_TIME):
        some = ordered[at : at + _AT_A_TIME]
        found |= dict(zip(some, embedder.embed(some), strict=True))
    return found


def _links(line: str) -> Links:
    return frozenset((int(one), int(other)) for one, _, other in (link.partition("-") for link in line.split()))
