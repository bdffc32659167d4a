"""Define the JSON that Claude is asked for, and read variants and verdicts from it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, get_args

from domain import Variant, VariantKind, Verdict
from pipeline.safety.sanitize import has_unsourced_url, sanitize, strip_unsourced_tags

MAX_VARIANT_CHARS = 500
MAX_MISSING = 10
#: the longest phrase to search for, and the longest reason
MAX_PHRASE_CHARS, MAX_REASON_CHARS = 200, 500
_KINDS: tuple[VariantKind, ...] = get_args(VariantKind)


def object_of(**properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with these properties, all of them required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


VERDICT_SCHEMA = object_of(
    sufficient={"type": "boolean"},
    confidence={"type": "number"},
    reason={"type": "string"},
    missing={"type": "array", "items": {"type": "string"}},
    contradictions={
        "type": "array",
        "items": object_of(
            sides={"type": "array", "items": object_of(value={"type": "string"}, quote={"type": "string"})}
        ),
    },
)
VARIANTS_SCHEMA = object_of(
    variants={
        "type": "array",
        "items": object_of(kind={"type": "string", "enum": list(get_args(VariantKind))}, text={"type": "string"}),
    }
)


def read_variants(fields: Mapping[str, Any], question: str) -> tuple[Variant, ...]:
    """Return the usable variants: of a known kind, short, not the question, not repeated."""
    seen = {_folded(question)}
    variants: list[Variant] = []
    listed = fields.get("variants")
    for item in listed if isinstance(listed, list) else ():
        kind, text = (item.get("kind"), item.get("text")) if isinstance(item, dict) else (None, None)
        if kind not in _KINDS or not isinstance(text, str) or not 0 < len(text.strip()) <= MAX_VARIANT_CHARS:
            continue
        if _folded(text) not in seen:
            seen.add(_folded(text))
            variants.append(Variant(kind=kind, text=" ".join(text.split())))
    return tuple(variants)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip("?？!. ")


def read_verdict(fields: Mapping[str, Any], *, judge: str) -> Verdict:
    """Read a verdict; raises ``KeyError``, ``TypeError`` or ``ValueError`` on any other shape.

    The missing phrases go to search engines: a long one, or one with an address, could leak page text, so it is left
    out.
    """
    sufficient, confidence = fields["sufficient"], float(fields["confidence"])
    if not isinstance(sufficient, bool) or not math.isfinite(confidence):
        raise ValueError("not a verdict")
    missing = [_words(str(item)) for item in list(fields["missing"])]
    return Verdict(
        sufficient=sufficient,
        confidence=min(1.0, max(0.0, confidence)),
        reason=_words(str(fields["reason"]))[:MAX_REASON_CHARS],
        missing=tuple(item for item in missing if _is_phrase(item))[:MAX_MISSING],
        judge=judge,
    )


def _words(text: str) -> str:
    """Return the model's text as plain words on one line."""
    return " ".join(sanitize(strip_unsourced_tags(text, ()), markers=True).split())


def _is_phrase(text: str) -> bool:
    return 0 < len(text) <= MAX_PHRASE_CHARS and not has_unsourced_url(text, ())
