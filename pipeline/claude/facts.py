"""The facts that Claude reads out of a page's prose: what it is asked, and which of its replies the page bears out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain import Fact, Passage
from pipeline.claude.prompts import DATA
from pipeline.claude.schemas import object_of

MAX_FACTS = 40
MAX_CHARS = 300  #: of a subject, predicate or object

STATED = f"""\
You list the facts that the search results state, each as subject, predicate and object.

{DATA}

- Only what a sentence states of a named thing: dates, numbers, places, people, parts, kinds, causes. No opinions, no \
instructions, nothing you know from elsewhere.
- subject: the thing's full name as the text has it. predicate: two or three words in the text's language. object: the \
shortest words of the text that say it, copied exactly.
- quote: the sentence that states it, copied exactly.
- At most {MAX_FACTS}, the most telling first."""

_TEXT = {"type": "string"}
STATED_SCHEMA = object_of(
    facts={"type": "array", "items": object_of(subject=_TEXT, predicate=_TEXT, object=_TEXT, quote=_TEXT)}
)


def read_facts(fields: Mapping[str, Any], passages: Sequence[Passage]) -> tuple[Fact, ...]:
    """Keep the facts whose sentence stands in a passage with their object in it; offsets are those of the page."""
    listed = fields.get("facts")
    found: dict[tuple[str, str, str], Fact] = {}
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict) and len(found) < MAX_FACTS:
            for fact in _borne_out(item, passages):
                found.setdefault((fact.subject, fact.predicate, fact.object), fact)
    return tuple(found.values())


def _borne_out(item: Mapping[str, Any], passages: Sequence[Passage]) -> Iterator[Fact]:
    words = [item.get(name) for name in ("subject", "predicate", "object", "quote")]
    if not all(isinstance(each, str) and each.strip() for each in words):
        return
    subject, predicate, stated, quote = (" ".join(str(each).split()) for each in words)
    if max(len(subject), len(predicate), len(stated)) > MAX_CHARS:
        return
    for passage in passages:
        sentence = passage.text.find(quote)
        at = passage.text.find(stated, sentence, sentence + len(quote)) if sentence >= 0 else -1
        if at >= 0 and subject.casefold() in f"{passage.title}\n{passage.text}".casefold():
            start = passage.start + at
            yield Fact(subject=subject, predicate=predicate, object=stated, start=start, end=start + len(stated))
            return
