"""Read variants, verdicts, findings and the values of a form from the JSON that a model replies with."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from domain import Answer, Citation, Variant, VariantKind, Verdict
from domain.answer import Finding
from domain.question import Turn
from pipeline.llm import Given
from pipeline.models.prompts import is_checked
from pipeline.models.provider import Json
from pipeline.question.entities import find_entities
from pipeline.safety.sanitize import has_unsourced_url, sanitize, strip_unsourced_tags
from text.language import detect_language

MAX_VARIANT_CHARS = 500
MAX_MISSING = 10
#: the longest phrase to search for, and the longest reason
MAX_PHRASE_CHARS, MAX_REASON_CHARS = 200, 500
_KINDS: tuple[VariantKind, ...] = get_args(VariantKind)


def read_rewritten(fields: Mapping[str, Any], question: str, turns: Sequence[Turn]) -> str | None:
    """Return the completed question; None where it is empty or long, or names what its thread does not."""
    text = fields.get("question")
    rewritten = _words(text) if isinstance(text, str) else ""
    if not 0 < len(rewritten) <= MAX_VARIANT_CHARS:
        return None
    said = _folded(" ".join((question, *(part for turn in turns for part in (turn.question, turn.answer)))))
    named = (*find_entities(rewritten, detect_language(rewritten)), *re.findall(r"\d+", rewritten))
    return rewritten if all(_folded(name) in said for name in named) else None


def read_variants(fields: Mapping[str, Any], question: str) -> tuple[Variant, ...]:
    """Return the usable variants: of a known kind, short, not the question, not repeated."""
    seen = {_folded(question)}
    variants: list[Variant] = []
    for item in _objects(fields, "variants"):
        kind, text = item.get("kind"), item.get("text")
        if kind not in _KINDS or not isinstance(text, str):
            continue
        if 0 < len(text.strip()) <= MAX_VARIANT_CHARS and _folded(text) not in seen:
            seen.add(_folded(text))
            variants.append(Variant(kind=kind, text=" ".join(text.split())))
    return tuple(variants)


def read_verdict(fields: Mapping[str, Any], *, judge: str) -> Verdict:
    """Read a verdict; raises ``KeyError``, ``TypeError`` or ``ValueError`` on any other shape.

    The missing phrases go to search engines: a long one, or one with an address, could leak page text, so it is left
    out.
    """
    sufficient = fields["sufficient"]
    if not isinstance(sufficient, bool):
        raise ValueError("not a verdict")
    missing = [_words(str(item)) for item in list(fields["missing"])]
    phrases = [item for item in missing if 0 < len(item) <= MAX_PHRASE_CHARS and not has_unsourced_url(item, ())]
    return Verdict(
        sufficient=sufficient,
        confidence=float(sufficient),
        reason=_words(str(fields["reason"]))[:MAX_REASON_CHARS],
        missing=tuple(phrases[:MAX_MISSING]),
        judge=judge,
    )


def read_check(fields: Mapping[str, Any], answer: Answer) -> tuple[Finding, ...]:
    """Return what the model found; a sentence that it does not name, or not in the form asked for, is supported."""
    found: dict[int, Finding] = {}
    for item in _objects(fields, "sentences"):
        at, says = item.get("n"), item.get("says")
        at = int(at) if isinstance(at, str) and at.isdecimal() else at
        if type(at) is not int or not 0 < at <= len(answer.sentences) or not is_checked(answer.sentences[at - 1]):
            continue
        if says in ("not_said", "contradicted"):
            found.setdefault(at - 1, Finding(sentence=at - 1, kind=says, by="model", why=says))
    return tuple(found[at] for at in sorted(found))


def read_form(fields: Mapping[str, Any], quotes: Sequence[Citation]) -> tuple[Given, ...]:
    """Return the values that the model gave with a quote; raises ValueError if they are not in the form asked for."""
    if not isinstance(fields.get("values"), list):
        raise ValueError("no list of values")
    cited = {quote.marker: quote for quote in quotes}
    found = [(each.get("path"), each.get("value"), each.get("quote")) for each in _objects(fields, "values")]
    return tuple(
        Given(path=path, text=text.strip(), citation=cited[quote])
        for path, text, quote in found
        if isinstance(path, str) and isinstance(text, str) and type(quote) is int and quote in cited
    )


def _objects(fields: Mapping[str, Any], name: str) -> list[Json]:
    """Return the objects of a list that a model gave; none if it gave no list."""
    listed = fields.get(name)
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def _words(text: str) -> str:
    """Return the model's text as plain words on one line."""
    return " ".join(sanitize(strip_unsourced_tags(text, ()), markers=True).split())


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip("?？!. ")
