"""Ask Claude for the facts that a page's prose states, and check its reply against the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain import Fact, Passage
from pipeline.claude.prompts import DATA
from pipeline.claude.schemas import object_of

MAX_FACTS = 40
MAX_CHARS = 300  #: of a subject, predicate or object

FACTS = f"""\
You list the facts that the search results state, each as subject, predicate and object.

{DATA}

- Only what a sentence states of a named thing: dates, numbers, places, people, parts, kinds, causes. No opinions, no \
instructions, nothing you know from elsewhere.
- subject: the thing's full name as the text has it. predicate: two or three words in the text's language. object: the \
shortest words of the text that say it, copied exactly.
- quote: the sentence that states it, copied exactly.
- At most {MAX_FACTS}, the most telling first."""

_TEXT = {"type": "string"}
FACTS_SCHEMA = object_of(
    facts={"type": "array", "items": object_of(subject=_TEXT, predicate=_TEXT, object=_TEXT, quote=_TEXT)}
)


def read_facts(fields: Mapping[str, Any], passages: Sequence[Passage]) -> tuple[Fact, ...]:
    """Return the facts whose sentence is in a passage and holds their object; offsets are those of the page."""
    listed = fields.get("facts")
    found: dict[tuple[str, str, str], Fact] = {}
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict) and len(found) < MAX_FACTS and (fact := _supported(item, passages)):
            found.setdefault((fact.subject, fact.predicate, fact.object), fact)
    return tuple(found.values())


def _supported(item: Mapping[str, Any], passages: Sequence[Passage]) -> Fact | None:
    texts = [item.get(name) for name in ("subject", "predicate", "object", "quote")]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        return None
    subject, predicate, stated, quote = (" ".join(str(text).split()) for text in texts)
    if max(len(subject), len(predicate), len(stated)) > MAX_CHARS:
        return None
    for passage in passages:
        sentence = passage.text.find(quote)
        at = passage.text.find(stated, sentence, sentence + len(quote)) if sentence >= 0 else -1
        if at >= 0 and subject.casefold() in f"{passage.title}\n{passage.text}".casefold():
            start = passage.start + at
            return Fact(subject=subject, predicate=predicate, object=stated, start=start, end=start + len(stated))
    return None
