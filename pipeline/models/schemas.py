"""Define the JSON that a model is asked for, and read variants, verdicts and facts from it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from domain import Fact, Passage, Variant, VariantKind, Verdict
from domain.question import Turn
from pipeline.models.prompts import MAX_FACTS
from pipeline.question.entities import find_entities
from pipeline.safety.sanitize import has_unsourced_url, sanitize, strip_unsourced_tags
from text.language import detect_language

MAX_VARIANT_CHARS = 500
MAX_MISSING = 10
#: the longest phrase to search for, and the longest reason
MAX_PHRASE_CHARS, MAX_REASON_CHARS = 200, 500
#: of a subject, predicate or object
MAX_FACT_CHARS = 300
_KINDS: tuple[VariantKind, ...] = get_args(VariantKind)


def object_of(**properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with these properties, all of them required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


TEXT = {"type": "string"}
VERDICT_SCHEMA = object_of(
    sufficient={"type": "boolean"},
    reason=TEXT,
    missing={"type": "array", "items": TEXT},
)
#: for providers that cannot cite by themselves
ANSWER_SCHEMA = object_of(
    sentences={
        "type": "array",
        "items": object_of(
            text=TEXT,
            citations={"type": "array", "items": object_of(passage={"type": "integer"}, quote=TEXT)},
        ),
    }
)
VARIANTS_SCHEMA = object_of(
    variants={
        "type": "array",
        "items": object_of(kind={"type": "string", "enum": list(get_args(VariantKind))}, text=TEXT),
    }
)
FACTS_SCHEMA = object_of(
    facts={"type": "array", "items": object_of(subject=TEXT, predicate=TEXT, object=TEXT, quote=TEXT)}
)

REWRITTEN_SCHEMA = object_of(question=TEXT)


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
    sufficient = fields["sufficient"]
    if not isinstance(sufficient, bool):
        raise ValueError("not a verdict")
    missing = [_words(str(item)) for item in list(fields["missing"])]
    return Verdict(
        sufficient=sufficient,
        confidence=float(sufficient),
        reason=_words(str(fields["reason"]))[:MAX_REASON_CHARS],
        missing=tuple(item for item in missing if _is_phrase(item))[:MAX_MISSING],
        judge=judge,
    )


def read_facts(fields: Mapping[str, Any], passages: Sequence[Passage]) -> tuple[Fact, ...]:
    """Return the facts whose sentence is in a passage and holds their object; offsets are those of the page."""
    listed = fields.get("facts")
    found: dict[tuple[str, str, str], Fact] = {}
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict) and len(found) < MAX_FACTS and (fact := _fact(item, passages)):
            found.setdefault((fact.subject, fact.predicate, fact.object), fact)
    return tuple(found.values())


def _words(text: str) -> str:
    """Return the model's text as plain words on one line."""
    return " ".join(sanitize(strip_unsourced_tags(text, ()), markers=True).split())


def _is_phrase(text: str) -> bool:
    return 0 < len(text) <= MAX_PHRASE_CHARS and not has_unsourced_url(text, ())


def _fact(item: Mapping[str, Any], passages: Sequence[Passage]) -> Fact | None:
    texts = [item.get(name) for name in ("subject", "predicate", "object", "quote")]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        return None
    subject, predicate, stated, quote = (" ".join(str(text).split()) for text in texts)
    if max(len(subject), len(predicate), len(stated)) > MAX_FACT_CHARS:
        return None
    for passage in passages:
        sentence = passage.text.find(quote)
        at = passage.text.find(stated, sentence, sentence + len(quote)) if sentence >= 0 else -1
        if at >= 0 and subject.casefold() in f"{passage.title}\n{passage.text}".casefold():
            start = passage.start + at
            return Fact(subject=subject, predicate=predicate, object=stated, start=start, end=start + len(stated))
    return None
