"""Measure a reader on what is held out: the sites of `training.examples.HELD_OUT`, and one article of SQuAD 2.0."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import torch
from sklearn.metrics import roc_auc_score

from training.examples import DATA, HELD_OUT, Text, manual_questions, public_questions
from training.reader.examples import MEASURED_ARTICLE, public_example
from training.reader.loss import sentence_means
from training.reader.model import FrozenEncoder, Reader
from training.tokens import question_ids, sentences_of

#: passages that are read for a question on a manual
READ: Final = 5
_AT_A_TIME: Final = 16


@torch.no_grad()
def measure(encoder: FrozenEncoder, reader: Reader, *, limit: int, folder: Path = DATA) -> dict[str, float]:
    """Return, for manuals and for the article, AUROC of answerable against unanswerable, and the sentence first.

    Of a question on a manual five passages are read, and the best counts; of one on the article, its passage.
    """
    reader.eval()
    asked = [(row, passages) for row, passages in manual_questions(folder) if row["site"] in HELD_OUT]
    random.Random(5).shuffle(asked)
    manuals = []
    for row, passages in asked[:limit]:
        texts = []
        for id in row["near"][:READ]:
            evidence = row["evidence"] if id == row["passage"] else ()
            texts.append(Text(passages[id]["title"], passages[id]["text"], tuple((a, b) for a, b in evidence)))
        manuals.append((row["question"], texts, bool(row["evidence"])))
    article = []
    for row, title, text in public_questions(folder):
        if row.get("article") == MEASURED_ARTICLE:
            example = public_example(row, title, text)
            article.append((example.question, [example.text], example.answers))
    random.Random(5).shuffle(article)
    of_manuals, of_article = _shares(encoder, reader, manuals), _shares(encoder, reader, article[:limit])
    return {f"manuals {name}": value for name, value in of_manuals.items()} | {
        f"article {name}": value for name, value in of_article.items()
    }


def _shares(encoder: FrozenEncoder, reader: Reader, asked: Sequence[tuple[str, list[Text], bool]]) -> dict[str, float]:
    pairs = [(question, text) for question, texts, _ in asked for text in texts]
    scored = iter(_scores(encoder, reader, pairs))
    best, labels, first, second, answerable = [], [], 0, 0, 0
    for _, texts, label in asked:
        read_here = [next(scored) for _ in texts]
        best.append(max(answers for answers, _ in read_here))
        labels.append(label)
        if label:
            sentences = [(logit + answers / 2, right) for answers, found in read_here for logit, right in found]
            ranked = [right for _, right in sorted(sentences, key=lambda each: -each[0])]
            answerable += 1
            first += any(ranked[:1])
            second += any(ranked[:2])
    auroc = float(roc_auc_score(labels, best)) if len(set(labels)) == 2 else 0.5
    shares = {"auroc": auroc, "sentence@1": first / max(1, answerable), "sentence@2": second / max(1, answerable)}
    return {name: round(share, 4) for name, share in shares.items()}


def _scores(
    encoder: FrozenEncoder, reader: Reader, pairs: Sequence[tuple[str, Text]]
) -> list[tuple[float, list[tuple[float, bool]]]]:
    """Return for each pair its logit, and those of its sentences with whether each answers."""
    laid = [sentences_of(text) for _, text in pairs]
    scores: list[tuple[float, list[tuple[float, bool]]]] = [(0.0, [])] * len(pairs)
    order = sorted(range(len(pairs)), key=lambda number: len(laid[number].ids))
    for at in range(0, len(order), _AT_A_TIME):
        some = order[at : at + _AT_A_TIME]
        questions = [question_ids(pairs[number][0]) for number in some]
        passages = [laid[number].ids for number in some]
        logits = reader(encoder.states(questions), encoder.states(passages))
        for number, answers, evidence in zip(some, logits.answers, logits.evidence, strict=True):
            passage = laid[number]
            means = sentence_means(evidence, passage.ranges).tolist() if passage.ranges else []
            scores[number] = (float(answers), list(zip(means, passage.answering, strict=True)))
    return scores
