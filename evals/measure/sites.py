"""Measure the product's lookup on sites that no model learned from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from domain.outcome import ANSWERED_FROM
from evals.knowledge.held_out_sites import ask_site
from evals.measure.probabilities import auroc, calibration_error
from pipeline.answering.compose import compose, compose_as_judged
from pipeline.judging.evidence import gather
from pipeline.judging.judge import calibrated_judge
from pipeline.retrieval.retrieve import Embed

_SURE = 0.8


def measure_sites(sites: Sequence[str], embedder: Embed, at_most: int) -> dict[str, float]:
    """Return how often what is shown is right, and what the confidence tells, of up to so many questions on each site.

    `right_first` and `right_shown` are shares of the answerable questions whose first quote, or any, holds a good part
    of what answers; `passage_first` and `searched_first` those whose passage is the first, as read and as searched.
    `auroc` is that of the confidence for "a quote is right", `auroc_answerable` that for "the site answers",
    `calibration_error` its distance from the share of right ones, and `sure_and_wrong` the share of all questions whose
    confidence is .8 or more without a right quote.
    """
    judge = calibrated_judge(embedder.id)
    chances, firsts, shown, answerable, read, searched = ([] for _ in range(6))
    for site in sites:
        for asked in ask_site(embedder, site, at_most):
            evidence = gather(asked.analysis, asked.hits)
            verdict = judge(evidence, ANSWERED_FROM)
            right = asked.right(compose_as_judged(verdict, compose, evidence))
            chances.append(verdict.confidence)
            firsts.append(right[:1] == [True])
            shown.append(any(right))
            answerable.append(bool(asked.evidence))
            read.append([hit.passage.id for hit in asked.hits[:1]] == [asked.gold.id])
            searched.append([hit.passage.id for hit in asked.found[:1]] == [asked.gold.id])
    confidence, truth, is_answerable = np.array(chances), np.array(shown), np.array(answerable)
    return {
        "right_first": float(np.array(firsts)[is_answerable].mean()),
        "right_shown": float(truth[is_answerable].mean()),
        "passage_first": float(np.array(read)[is_answerable].mean()),
        "searched_first": float(np.array(searched)[is_answerable].mean()),
        "auroc": auroc(confidence, truth),
        "auroc_answerable": auroc(confidence, is_answerable),
        "calibration_error": calibration_error(confidence, truth),
        "sure_and_wrong": float(((confidence >= _SURE) & ~truth).mean()),
    }
