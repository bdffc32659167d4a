"""Describes an answer: whether it still holds, which question it comes from, what it cost."""

from __future__ import annotations

from collections.abc import Iterator

from api.cli.views.width import clean
from wellread import Record

#: most URLs of pages being read, and most missing words, that are shown
_SHOWN = 5


def about_answer(record: Record) -> list[str]:
    """Return the sentences to show below an answer; for most answers there is none."""
    return [*_unfinished(record), *_standing(record), *_cost(record)]


def _unfinished(record: Record) -> Iterator[str]:
    if record.status.is_final:
        return
    if record.verdict and record.verdict.missing:
        yield f"Not covered yet: {clean(', '.join(record.verdict.missing[:_SHOWN]))}."
    waiting = [clean(page.url) for page in record.pages if page.outcome is None]
    if waiting:
        more = f" and {len(waiting) - _SHOWN} more" if len(waiting) > _SHOWN else ""
        yield f"Being read: {', '.join(waiting[:_SHOWN])}{more}."


def _standing(record: Record) -> Iterator[str]:
    if record.stale:
        since = f" since {record.stale_at:%Y-%m-%d %H:%M} UTC" if record.stale_at else ""
        yield f"Stale{since}: a cited page has changed or is gone."
    if record.cached_from:
        holds = "what it cites still says the same" if record.citations else "nothing that may answer it was read since"
        yield f"Reused from {record.cached_from}; {holds}."
    if record.shared_with:
        yield f"Shared with {record.shared_with}, which asked the same."
    if record.round:
        yield f"Asked again {'once' if record.round == 1 else f'{record.round} times'}, because its evidence changed."


def _cost(record: Record) -> Iterator[str]:
    cost = record.cost
    if cost.input_tokens or cost.output_tokens or cost.usd:
        tokens = f"{cost.input_tokens:,} tokens read, {cost.output_tokens:,} written"
        price = "not known" if cost.unpriced and not cost.usd else f"${cost.usd:.4f}"
        several = len(cost.by_model) > 1 and cost.usd
        named = [f"{each.model or 'others'} ${each.usd:.4f}" for each in cost.by_model] if several else [cost.model]
        yield f"Cost {price} ({clean(', '.join(named)) or 'a model'}: {tokens})."
