"""Measure what the encoder or the reader would add to words alone in telling unsupported sentences from supported ones.

Of the sentences that words alone keep, each score is compared between supported and unsupported ones; a bound is the
lowest score of a supported sentence of the first half (or the second lowest). Neither adds enough to be used.

    python -m evals.measure.support_scores
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from evals.measure.support import Claim, read_claims
from pipeline.answering.supporting.in_english import in_english
from pipeline.learning.metrics import auroc
from pipeline.reader.reader import Reader
from store.embedders.minilm import MiniLM
from text.sentences import sentence_spans

#: (claim, quote), both in English → how surely the quote states the claim
Score = Callable[[str, str], float]


def scores() -> dict[str, Score]:
    """Return the cosine of the claim and the nearest sentence of the quote, and the reader's logit that it answers."""
    encoder, reader = MiniLM(), Reader()

    def nearest(claim: str, quote: str) -> float:
        own, *others = encoder.embed([claim, quote, *(quote[start:end] for start, end in sentence_spans(quote))])
        return max(float(own @ other) for other in others)

    return {"encoder": nearest, "reader": lambda claim, quote: reader.read(claim, [("", quote)])[0].answers}


def scored(claims: Sequence[Claim], score: Score) -> tuple[list[float], list[float]]:
    """Return the scores of the supported claims that words alone keep, and of the unsupported ones."""
    kept = [claim for claim in claims if claim.is_kept()]
    found = [score(in_english(each.claim, each.lang), in_english(each.quote, each.lang)) for each in kept]
    return (
        [value for value, claim in zip(found, kept, strict=True) if claim.supported],
        [value for value, claim in zip(found, kept, strict=True) if not claim.supported],
    )


def main() -> None:
    """Print for each score how it tells both kinds apart, and how many sentences of each its bound leaves out."""
    for name, score in scores().items():
        supported, unsupported = scored(read_claims("tune"), score)
        others, wrong = scored(read_claims("report"), score)
        print(f"{name}: AUROC {_auroc(supported, unsupported):.2f} in tune, {_auroc(others, wrong):.2f} in report")
        for bound in sorted(supported)[:2]:
            lost, found = (sum(value < bound for value in values) for values in (others, wrong))
            print(f"  bound {bound:.2f}: {lost} of {len(others)} lost in report, {found} of {len(wrong)} found")


def _auroc(supported: Sequence[float], unsupported: Sequence[float]) -> float:
    truth = np.array([True] * len(supported) + [False] * len(unsupported))
    return auroc(np.array([*supported, *unsupported]), truth)


if __name__ == "__main__":
    main()
