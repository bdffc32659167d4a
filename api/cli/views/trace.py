"""Formats a question's trace for the terminal: a block of lines for each step."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from api.cli.views.question import Style
from api.cli.views.width import clean, wrap

if TYPE_CHECKING:
    from api.schemas.records import StepOut

_INDENT = " " * 11


def trace_lines(steps: "Sequence[StepOut]", style: Style) -> list[str]:
    """Show every step with its time since the first, what it looked for, found and cost."""
    if not steps:
        return ["No step is finished yet."]
    began = steps[0].started_at
    return [line for step in steps for line in _step_lines(step, (step.started_at - began).total_seconds(), style)]


def _step_lines(step: "StepOut", at_s: float, style: Style) -> Iterator[str]:
    detail, first = step.detail, f"{at_s:7.2f} s  {clean(step.name):<9} "
    head = f"{step.outcome} in {step.seconds:.2f} s{_cost(detail)} {detail.get('url') or ''}"
    yield from (style.paint(line, bold=True) for line in wrap(head, style.width, first=first, rest=_INDENT))
    for line in (*_looked(detail), *_judged(detail), *_sought(detail), *_failed(detail), *_read(detail)):
        yield from wrap(line, style.width, first=_INDENT, rest=_INDENT + "  ")


def _cost(detail: Mapping[str, Any]) -> str:
    cost = detail.get("cost") or {}
    if not (cost.get("usd") or cost.get("unpriced")):
        return ""
    price = f"${cost['usd']:.4f} " if cost.get("usd") else ""
    return f", {price}({cost.get('input_tokens', 0):,} + {cost.get('output_tokens', 0):,} tokens)"


def _looked(detail: Mapping[str, Any]) -> Iterator[str]:
    counts = {found["query"]: found["hits"] for found in detail.get("before_fusion") or ()}
    if queries := detail.get("queries"):
        found = (f"{query} ({counts[query]} hits)" if query in counts else str(query) for query in queries)
        yield f"queries: {' | '.join(found)}"
    for at, hit in enumerate(detail.get("top") or (), start=1):
        yield f"{hit.get('rank', at)}. {_scores(hit)}  {hit.get('url', '')}"
    if seconds := detail.get("seconds"):
        yield "seconds: " + ", ".join(f"{name} {spent:.3f}" for name, spent in seconds.items())


def _scores(hit: Mapping[str, Any]) -> str:
    parts = [f"{hit.get('scale', 'score')} {hit['score']:.3f}"]
    parts += [f"{name} {hit[name]:.3f}" for name in ("similarity", "bm25") if hit.get(name) is not None]
    parts += [f"was {hit['original_rank']}"] if hit.get("original_rank") else []
    parts += [f"via {hit['via']}"] if hit.get("via") else []
    return ", ".join(parts)


def _judged(detail: Mapping[str, Any]) -> Iterator[str]:
    verdict = detail.get("verdict")
    if not verdict:
        return
    word = "sufficient" if verdict.get("sufficient") else "not sufficient"
    yield f"{word}, {verdict.get('confidence', 0):.2f} by {verdict.get('judge') or '?'}: {verdict.get('reason', '')}"
    if verdict.get("missing"):
        yield f"missing: {', '.join(verdict['missing'])}"


def _sought(detail: Mapping[str, Any]) -> Iterator[str]:
    for name, told in (detail.get("engines") or {}).items():
        failed = [told["error"]] if told.get("error") else []
        asked = [] if "resting_s" in told else [f"{told.get('links', 0)} links in {told.get('seconds', 0):.2f} s"]
        yield f"engine {name}: {', '.join((*asked, *failed))}"
    for url in detail.get("candidates") or ():
        yield f"chosen: {url}"


def _failed(detail: Mapping[str, Any]) -> Iterator[str]:
    if detail.get("error"):
        yield f"the model failed: {clean(str(detail['error']))}"


def _read(detail: Mapping[str, Any]) -> Iterator[str]:
    if "bytes" in detail and "url" in detail:
        why = f", {detail['reason']}" if detail.get("reason") else ""
        found = f"found by {detail.get('origin', '?')}, score {detail.get('score', 0):.2f}"
        yield f"{detail['bytes']:,} bytes, {found}{why}"
