"""Measure a reader on what is held out: the sites of `training.examples.HELD_OUT`, and one article of SQuAD 2.0."""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from sklearn.metrics import roc_auc_score

from training.reader.loss import PASSAGE
from training.reader.model import Batch, Reader
from training.reader.pairs import HELD_OUT_ARTICLE, HELD_OUT_MANUAL, HELD_OUT_PAGE, Numbers, Pairs

_AT_A_TIME: Final = 64


def measure(reader: Reader, pairs: Pairs, *, limit: int) -> dict[str, float]:
    """Return the AUROC of answerable against unanswerable, and how often the first sentence is right, of each kind.

    Of a question on a site five passages are read, and the best counts; of one on the article, its passage.
    """
    reader.eval()
    found: dict[str, float] = {}
    for name, part in (("manuals", HELD_OUT_MANUAL), ("pages", HELD_OUT_PAGE), ("article", HELD_OUT_ARTICLE)):
        groups = np.random.default_rng(5).permutation(pairs.of_parts(part))[:limit]
        found |= {f"{name} {figure}": round(share, 4) for figure, share in _shares(reader, pairs, groups).items()}
    return found


def _shares(reader: Reader, pairs: Pairs, groups: Numbers) -> dict[str, float]:
    best, first, second = [], [], []
    some = np.concatenate([pairs.groups[group] for group in groups])
    answers, sentences = _said(reader, pairs, some)
    at = 0
    for group in groups:
        here = slice(at, at := at + len(pairs.groups[group]))
        best.append(answers[here].max())
        if pairs.answerable[group]:
            order = np.argsort(-(sentences[here] + PASSAGE * answers[here, None]).ravel())
            right = pairs.right[some[here]].ravel()[order]
            first.append(right[0])
            second.append(right[:2].any())
    labels = pairs.answerable[groups]
    auroc = float(roc_auc_score(labels, best)) if len(set(labels)) == 2 else 0.5
    return {"auroc": auroc, "sentence@1": float(np.mean(first)), "sentence@2": float(np.mean(second))}


@torch.no_grad()
def _said(reader: Reader, pairs: Pairs, some: Numbers) -> tuple[Numbers, Numbers]:
    """Return the logits of pairs: of each passage, and of its sentences."""
    order = np.argsort(pairs.lengths(some))
    device = next(reader.parameters()).device
    answers, sentences = [], []
    for at in range(0, len(order), _AT_A_TIME):
        logits = reader(Batch.of(pairs, some[order[at : at + _AT_A_TIME]], device))
        answers.append(logits.answers.float().cpu().numpy())
        sentences.append(logits.sentences.float().cpu().numpy())
    back = np.argsort(order)
    return np.concatenate(answers)[back], np.concatenate(sentences)[back]
