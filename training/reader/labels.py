"""What a teacher says of pairs: made once, kept in eight bits by the hash of question and passage."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch

from training.loop import Report
from training.reader.model import Batch, Reader
from training.reader.pairs import SENTENCES, Numbers, Pairs

#: logits are kept in steps of so much, from -16 to 15.9
_STEP: Final = 0.125
#: bytes of a pair's key: of half a million pairs, none is likely to have another's
_KEY: Final = 6
#: pairs that are sorted by length together
_AMONG: Final = 16_384


@dataclass(frozen=True)
class Labels:
    """What a teacher says of pairs, in their order."""

    known: Numbers  #: (pairs,): whether it says anything
    answers: Numbers  #: (pairs,): the logit that the passage answers
    sentences: Numbers  #: (pairs, SENTENCES): that each sentence does
    short: Numbers  #: (pairs, 2): the short answer's first and last token, 0 for none

    @classmethod
    def none(cls, count: int) -> Labels:
        """Return labels of which none is known."""
        return cls(
            np.zeros(count, dtype=bool),
            np.zeros(count, dtype=np.float32),
            np.full((count, SENTENCES), -16.0, dtype=np.float32),
            np.zeros((count, 2), dtype=np.int64),
        )

    def save(self, file: Path, pairs: Pairs) -> None:
        """Write those that are known."""
        known = np.flatnonzero(self.known)
        counts = pairs.sentences.lengths[pairs.read[known]] // 2
        there = np.arange(SENTENCES) < counts[:, None]
        np.savez_compressed(
            file,
            allow_pickle=False,
            keys=_keys(pairs, known),
            answers=_rounded(self.answers[known]),
            counts=counts.astype(np.uint8),
            sentences=_rounded(self.sentences[known][there]),
            short=self.short[known].astype(np.int16),
        )

    @classmethod
    def read(cls, files: Sequence[Path], pairs: Pairs) -> Labels:
        """Return what the files say of pairs; a later file counts where two say something."""
        labels = cls.none(len(pairs))
        asked = _numbers(_keys(pairs, np.arange(len(pairs))))
        for file in files:
            kept = np.load(file)
            keys, last = np.unique(_numbers(kept["keys"])[::-1], return_index=True)
            at = np.searchsorted(keys, asked)
            found = at < len(keys)
            found[found] = keys[at[found]] == asked[found]
            row = len(kept["keys"]) - 1 - last[at[found]]
            counts = kept["counts"].astype(np.int64)[row]
            there = np.arange(SENTENCES) < counts[:, None]
            starts = np.cumsum(kept["counts"], dtype=np.int64)[row] - counts
            sentences = labels.sentences[found]
            sentences[there] = kept["sentences"][(starts[:, None] + np.arange(SENTENCES))[there]] * _STEP
            labels.sentences[found] = sentences
            labels.known[found] = True
            labels.answers[found] = kept["answers"][row] * _STEP
            labels.short[found] = kept["short"][row]
        return labels


@torch.no_grad()
def say(reader: Reader, pairs: Pairs, labels: Labels, *, seconds: float, tokens: int, report: Report) -> None:
    """Fill in what ``reader`` says of pairs that are not known, in random order: in part it is a fair sample."""
    reader.eval()
    device = next(reader.parameters()).device
    waiting = np.random.default_rng(9).permutation(np.flatnonzero(~labels.known))
    ends = time.monotonic() + seconds
    for at in range(0, len(waiting), _AMONG):
        some = waiting[at : at + _AMONG]
        some = some[np.argsort(-pairs.lengths(some))]
        while len(some) and time.monotonic() < ends:
            count = max(1, tokens // (int(pairs.lengths(some[:1])[0]) + 8))
            here, some = some[:count], some[count:]
            batch = Batch.of(pairs, here, device)
            logits = reader(batch)
            labels.known[here] = True
            labels.answers[here] = logits.answers.float().cpu().numpy()
            labels.sentences[here] = logits.sentences.float().clamp(-16, 16).cpu().numpy()
            short = torch.stack([logits.start.argmax(1), logits.end.argmax(1)], 1) - batch.asked[:, None]
            labels.short[here] = short.cpu().numpy()
    report({"labelled": int(labels.known.sum()), "of": len(pairs)})


def _rounded(logits: Numbers) -> Numbers:
    return np.clip(np.rint(logits / _STEP), -128, 127).astype(np.int8)


def _numbers(keys: Numbers) -> Numbers:
    """Return keys of ``_KEY`` bytes as numbers."""
    wide = np.zeros((len(keys), 8), dtype=np.uint8)
    wide[:, :_KEY] = keys
    return wide.view(np.uint64)[:, 0]


def _keys(pairs: Pairs, some: Numbers) -> Numbers:
    """Return the hash of each pair's question and passage, as tokens."""
    questions, passages = (
        [hashlib.blake2b(rows[row].tobytes(), digest_size=16).digest() for row in range(len(rows))]
        for rows in (pairs.questions, pairs.passages)
    )
    both = (questions[pairs.asked[pair]] + passages[pairs.read[pair]] for pair in some)
    keys = b"".join(hashlib.blake2b(each, digest_size=_KEY).digest() for each in both)
    return np.frombuffer(keys, dtype=np.uint8).reshape(-1, _KEY)
