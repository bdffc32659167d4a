"""Measure an encoder on the sites that are held out: does it find the passage, and the sentence in it?"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

import torch
from sklearn.metrics import roc_auc_score

from training.examples import DATA, HELD_OUT, Text, manual_questions
from training.loss import encode_passages
from training.model import Encoder, pad, pooled
from training.tokens import question_ids, sentences_of

#: passages whose sentences are compared
READ: Final = 5
#: the weights of a sentence's similarity, its passage's, and the hybrid score of the retrieval that found the passage
_SENTENCE, _PASSAGE, _HYBRID = 1.0, 0.5, 0.15


@torch.no_grad()
def measure(encoder: Encoder, *, limit: int, folder: Path = DATA, sites: frozenset[str] = HELD_OUT) -> dict[str, float]:
    """Return shares of the answerable questions: passage and sentence first, and among the first few.

    ``auroc``: of the best sentence's score, answerable against unanswerable questions.
    """
    encoder.eval()
    device = next(encoder.parameters()).device
    asked = [(row, passages) for row, passages in manual_questions(folder) if row["site"] in sites]
    random.Random(5).shuffle(asked)
    asked = asked[:limit]
    counts = dict.fromkeys(("passage@1", "passage@3", "sentence@1", "sentence@2", "sentence@5"), 0)
    scores, labels = [], []
    for row, passages in asked:
        ids, mask = pad([question_ids(row["question"])], device)
        vector = pooled(encoder(ids, mask), mask)[0]
        texts = [Text(passages[id]["title"], passages[id]["text"]) for id in row["near"]]
        encoded = [sentences_of(text) for text in texts]
        vectors, sentences, owners = encode_passages(encoder, encoded, device)
        passage_scores = (vectors @ vector).cpu() + 0.35 * torch.tensor(row["hyb"])
        order = passage_scores.argsort(descending=True).tolist()
        spans = [(number, span) for number, passage in enumerate(encoded) for span in passage.spans]
        own = _SENTENCE * (sentences @ vector) + _PASSAGE * (vectors @ vector)[owners]
        total = own.cpu() + _HYBRID * torch.tensor(row["hyb"])[owners.cpu()]
        best = [at for at in total.argsort(descending=True).tolist() if spans[at][0] in order[:READ]]
        scores.append(float(total[best[0]]) if best else -1.0)
        labels.append(bool(row["evidence"]))
        if not row["evidence"]:
            continue
        gold = row["near"].index(row["passage"]) if row["passage"] in row["near"] else -1
        right = [spans[at][0] == gold and _touches(spans[at][1], row["evidence"]) for at in best]
        for k in (1, 3):
            counts[f"passage@{k}"] += gold in order[:k]
        for k in (1, 2, 5):
            counts[f"sentence@{k}"] += any(right[:k])
    answerable = sum(labels)
    shares = {name: round(count / answerable, 4) for name, count in counts.items()}
    return shares | {"auroc": round(float(roc_auc_score(labels, scores)), 4), "questions": len(asked)}


def _touches(span: tuple[int, int], evidence: list[list[int]]) -> bool:
    return any(span[0] < end and span[1] > start for start, end in evidence)
