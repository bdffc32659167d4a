"""A text's fingerprint of 64 bits: near to that of a text which says nearly the same, and looked up by index.

Charikar's simhash over shingles of words, as in Manku, Jain, Das Sarma: "Detecting near-duplicates for web crawling",
2007. Two fingerprints that differ in at most three bits have one of four bands of 16 bits in common.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

BANDS: Final = 4
NEAR: Final = 3  #: bits in which the fingerprints of near duplicates differ at most; more would miss the bands
LEAST: Final = 50  #: words; of a shorter text a fingerprint says little
_WORDS: Final = 3  #: of a shingle
_BITS: Final = 16  #: of a band
#: of a script without spaces, each character
_WORD: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
_MIX: Final = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def bands(text: str) -> tuple[int, ...] | None:
    """Return the fingerprint of a text as its four bands, each in [0, 65535]; None where the text is too short."""
    words = _WORD.findall(text.casefold())
    if len(words) < LEAST:
        return None
    hashes = np.unique(_shingles(words))
    ones = np.unpackbits(hashes.astype(">u8").view(np.uint8).reshape(-1, 8), axis=1).sum(axis=0, dtype=np.int64)
    value = int.from_bytes(np.packbits(2 * ones > len(hashes)).tobytes(), "big")
    return tuple(value >> _BITS * at & 0xFFFF for at in range(BANDS))


def distance(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Count the bits in which two fingerprints differ, 0 to 64."""
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True))


def _shingles(words: list[str]) -> NDArray[np.uint64]:
    """A hash of each three words that follow each other."""
    known: dict[str, int] = {}
    for word in words:
        if word not in known:
            known[word] = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
    each = np.fromiter((known[word] for word in words), dtype=np.uint64, count=len(words))
    mixed = np.zeros(len(words) - _WORDS + 1, dtype=np.uint64)
    for at in range(_WORDS):
        mixed = _mixed(mixed * np.uint64(_MIX[1]) + each[at : len(words) - _WORDS + 1 + at])
    return mixed


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit over all (the finalizer of splitmix64)."""
    values = values + np.uint64(_MIX[0])
    values = (values ^ values >> np.uint64(30)) * np.uint64(_MIX[1])
    values = (values ^ values >> np.uint64(27)) * np.uint64(_MIX[2])
    return values ^ values >> np.uint64(31)
