"""The vectors of a passage's sentences, in eight bits: what the table keeps beside the passage's own vector.

A sentence's vector is in the space of the first `NUMBERS` numbers of a passage's vector, those of the English encoder.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

NUMBERS: Final = 384
_SCALE: Final = 127


def pack(sentences: NDArray[np.float32]) -> bytes:
    """Return unit rows (sentences, 384) as bytes, one a number."""
    return np.rint(sentences * _SCALE).astype(np.int8).tobytes()


def best_cosine(vector: NDArray[np.float32], packed: bytes) -> float | None:
    """Return the cosine of a question's vector and the sentence nearest to it; None where there is no sentence."""
    rows = np.frombuffer(packed, dtype=np.int8).reshape(-1, NUMBERS).astype(np.float32)
    if not len(rows):
        return None
    asked = vector[:NUMBERS]
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(asked)
    return float(np.max(rows @ asked / np.maximum(lengths, np.float32(1e-9))))
