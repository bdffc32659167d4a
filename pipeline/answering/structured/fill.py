"""Ask for each value of a schema by itself, and read it out of the answer to that; what is not said is null."""

import re
from typing import Final

from domain import Answer, Citation
from domain.answer import Value
from domain.options import MAX_CHARACTERS
from domain.question import Turn
from domain.short_answer import first_said, short_answer
from pipeline.answering.structured.schema import Leaf
from pipeline.question.entities import find_entities
from pipeline.question.follow_up import topic_of, understand

NUMBER: Final = re.compile(r"(?<![\w.,])[-−]?\d{1,3}(?:[,\u202f\u00a0]\d{3})+(?:\.\d+)?|(?<![\w.,])[-−]?\d+(?:\.\d+)?")
#: an item of a list as pages' texts have it
_ITEM: Final = re.compile(r"^ *(?:- |\d{1,3}[.)] )(.+)$", re.MULTILINE)
_BETWEEN: Final = re.compile(
    r",? +(?:and|or|und|oder|et|ou|y|o|e|ed|en|of|i|oraz|и|или) +|[,;] +|\s*[、，；]\s*|(?<=\w)[和と](?=\w)"
)
_YES: Final = frozenset("yes ja oui sí si sì sim tak да 是 はい ✓ ✔ ✅".split())
_NO: Final = frozenset("no nein non não nee nie нет 否 いいえ ✗ ✘ ❌".split())
#: a longer sentence is no value
_LONGEST: Final = 300


def field_question(leaf: Leaf, question: str, lang: str) -> str:
    """Return the question for one value, about what the whole question is about."""
    if leaf.description.endswith(("?", "？")):
        return understand(leaf.description, [Turn(question=question)], lang)[:MAX_CHARACTERS]
    names = [name for name in find_entities(question, lang) if not name[0].isdigit()]
    topic = names[0] if names else topic_of(question, lang)
    label = leaf.label.rstrip(". ")
    if topic.casefold() in label.casefold():
        asked = {"en": f"What is {label}?", "de": f"Was ist {label}?"}.get(lang, f"{label}?")
    elif leaf.kind == "boolean":
        asked = f"{topic}: {label}?"
    else:
        the = "" if re.match(r"(?:the|an?|its?|how|when|where|who|what|which) ", label, re.IGNORECASE) else "the "
        asked = {"en": f"What is {the}{label} of {topic}?", "de": f"Was ist {label} von {topic}?"}.get(
            lang, f"{label} ({topic})?"
        )
    return asked[:MAX_CHARACTERS]


def read_value(leaf: Leaf, answer: Answer) -> tuple[Value, Citation] | None:
    """Return the value that the first sentence of an answer gives, with its citation; None where it gives none.

    A list is one that the quote has, or what its sentence enumerates where it says just what was asked.
    """
    sentence = first_said(answer.sentences)
    cited = {citation.marker: citation for citation in answer.citations}
    citation = next((cited[marker] for marker in sentence.markers if marker in cited), None) if sentence else None
    if sentence is None or citation is None:
        return None
    short = short_answer(answer.sentences) or ""
    value = _list(leaf, short, sentence.text, citation.quote) if leaf.is_list else _value(leaf, short, sentence.text)
    return None if value is None else (value, citation)


def cell_value(leaf: Leaf, cell: str) -> Value | None:
    """Return the value that a cell of a table gives, or an item of a list; None where it gives none."""
    is_text = any(char.isalnum() for char in cell) and len(cell) <= _LONGEST
    return _value(leaf, cell, cell) if is_text or leaf.kind == "boolean" else None


def _list(leaf: Leaf, short: str, sentence: str, quote: str) -> tuple[str | float, ...] | None:
    items = [found.strip() for found in _ITEM.findall(quote)] or [part for part in _BETWEEN.split(short) if part]
    if leaf.choices:
        return tuple(choice for choice in leaf.choices if _named(choice, f"{sentence}\n{quote}")) or None
    if leaf.kind == "string":
        kept = [item.rstrip(" .;,") for item in items if len(item) <= _LONGEST]
    else:
        kept = [
            number
            for item in items
            for found in NUMBER.findall(item)[:1]
            if (number := _number(leaf, found)) is not None
        ]
    return tuple(dict.fromkeys(kept)) if kept and len(kept) == len(items) else None


def _named(choice: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(choice)}(?!\w)", text, re.IGNORECASE) is not None


def _value(leaf: Leaf, short: str, sentence: str) -> str | float | bool | None:
    if leaf.kind == "boolean":
        said = short.casefold().strip(" .")
        return True if said in _YES else False if said in _NO else None
    if leaf.kind == "string":
        return (
            _choice(leaf, short, sentence)
            if leaf.choices
            else short or (sentence if len(sentence) <= _LONGEST else None)
        )
    for text in (short, sentence):
        numbers = {number for found in NUMBER.findall(text) if (number := _number(leaf, found)) is not None}
        if len(numbers) == 1:
            return numbers.pop()
    return None


def _number(leaf: Leaf, found: str) -> float | None:
    number = float(re.sub(r"[,\u202f\u00a0]", "", found).replace("−", "-"))
    if leaf.minimum is not None and number < leaf.minimum:
        return None
    if leaf.maximum is not None and number > leaf.maximum:
        return None
    if leaf.kind == "integer":
        return int(number) if number.is_integer() else None
    return number


def _choice(leaf: Leaf, short: str, sentence: str) -> str | None:
    for text in (short, sentence):
        said = [one for one in leaf.choices if _named(one, text)]
        if len(said) == 1:
            return said[0]
    return None
