"""Learn which kinds of variant help which type of question: Beta–Bernoulli, one reward per question and kind.

A kind is rewarded when the answer cites a passage that was among the first hits of one of its queries. Only two counts
are stored for each type of question and kind; nothing of the question itself.
"""

import random
from collections.abc import Mapping, Sequence
from typing import get_args

from domain import Answer, Hit, Tally, Variant, VariantKind

KINDS: tuple[VariantKind, ...] = get_args(VariantKind)
#: Beta(1, 1): an unknown kind helps with probability one half
PRIOR_REWARDED, PRIOR_UNREWARDED = 1.0, 1.0
#: share of questions that try the kinds in a random order, so that a kind unlucky at first is tried again
EXPLORED = 0.1

#: tried this often, a kind whose mean is below this share of the best kind's is weak
KNOWN_AFTER, WEAK = 20, 0.5
#: the order while nothing is learned: as the variants are made
DOCUMENTED: tuple[VariantKind, ...] = ()
#: for one type of question; a kind that is not in it was never tried
Tallies = Mapping[VariantKind, Tally]


def order_kinds(tallies: Tallies, *, seed: str) -> tuple[VariantKind, ...]:
    """Order the kinds, the most helpful first; the same ``seed`` and tallies give the same order.

    Orders by the posterior mean, except for one question in ten. Kinds of equal value keep the design document's order.
    """
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    if rng.random() < EXPLORED:
        return tuple(rng.sample(KINDS, len(KINDS)))
    return tuple(sorted(KINDS, key=lambda kind: -posterior_mean(tallies.get(kind, Tally()))))


def posterior_mean(tally: Tally) -> float:
    """Return the posterior mean of the probability of a reward, (0, 1)."""
    return (PRIOR_REWARDED + tally.rewarded) / (PRIOR_REWARDED + PRIOR_UNREWARDED + tally.tried)


def kinds_in_turn(tallies: Tallies, *, seed: str) -> tuple[VariantKind, ...]:
    """Return the kind of each variant to choose: each kind in its order, then each once more.

    A weak kind comes after the second variant of the others.
    """
    order = order_kinds(tallies, seed=seed)
    best = max(posterior_mean(tallies.get(kind, Tally())) for kind in KINDS)
    weak = [
        kind
        for kind, tally in tallies.items()
        if tally.tried >= KNOWN_AFTER and posterior_mean(tally) < WEAK * best and kind != order[0]
    ]
    strong = tuple(kind for kind in order if kind not in weak)
    return (*strong, *strong, *weak, *weak)


def choose_variants(variants: Sequence[Variant], count: int, order: Sequence[VariantKind] = ()) -> tuple[Variant, ...]:
    """Choose up to ``count`` of the variants: one for each kind in ``order``, then the others in their own order."""
    left = list(variants)
    chosen: list[Variant] = []
    for kind in order:
        own = next((variant for variant in left if variant.kind == kind), None)
        if own is not None:
            left.remove(own)
            chosen.append(own)
    return tuple([*chosen, *left][: max(0, count)])


def rewards(variants: Sequence[Variant], hits: Sequence[Hit], answer: Answer | None) -> dict[VariantKind, bool]:
    """Return for each kind tried whether the answer cites one of its hits; nothing without a citation."""
    if answer is None or not answer.citations:
        return {}
    cited = {citation.passage_id for citation in answer.citations}
    helpful = {query for hit in hits if hit.passage.id in cited for query in hit.found_by}
    found: dict[VariantKind, bool] = {}
    for variant in variants:
        found[variant.kind] = found.get(variant.kind, False) or variant.text in helpful
    return found
