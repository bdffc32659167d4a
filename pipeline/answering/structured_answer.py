"""Fill the form that an answer is to have: values out of answers, tables and lists, or those that a model gave.

Each value of a schema is asked for by itself, and read out of the answer to that; what is not said is null. A list of
objects is read out of a page: the rows of a table whose header has the fields' names, or the items of a list. A row is
an object, and its line is the citation of each of its values.

Of what a model gives, a number must be in its quote, and so must all words of a text; yes or no must only cite one. A
field for which it gives no such value is null, whatever the rules have put there; a list of objects is the fuller one
of the two.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from domain import Answer, Citation
from domain.answer import StructuredAnswer, StructuredField, Value, first_said, short_answer
from domain.options import MAX_CHARACTERS
from domain.question import Turn
from pipeline.answering.schema import MAX_ROWS, Leaf, Rows, filled, pointer_of
from pipeline.llm import Given
from pipeline.question.entities import find_entities
from pipeline.question.follow_up import topic_of, understand
from pipeline.safety.sanitize import sanitize_line
from text.terms import terms_of, words

_NUMBER: Final = re.compile(r"(?<![\w.,])[-−]?\d{1,3}(?:[,\u202f\u00a0]\d{3})+(?:\.\d+)?|(?<![\w.,])[-−]?\d+(?:\.\d+)?")
#: an item of a list as pages' texts have it
_LISTED: Final = re.compile(r"^ *(?:- |\d{1,3}[.)] )(.+)$", re.MULTILINE)
_BETWEEN: Final = re.compile(
    r",? +(?:and|or|und|oder|et|ou|y|o|e|ed|en|of|i|oraz|и|или) +|[,;] +|\s*[、，；]\s*|(?<=\w)[和と](?=\w)"
)
_YES: Final = frozenset("yes ja oui sí si sì sim tak да 是 はい ✓ ✔ ✅".split())
_NO: Final = frozenset("no nein non não nee nie нет 否 いいえ ✗ ✘ ❌".split())
#: a longer sentence is no value
_LONGEST: Final = 300
_BORDER: Final = re.compile(r"(?:^|(?<=\s))\|(?=\s|$)")
_ITEM: Final = re.compile(r"[^\S\n]*(?:[-*•‣]|\d{1,3}[.)])[^\S\n]+(?P<said>\S.*)")
#: what parts a name from what is said of it
_SAYS: Final = re.compile(r"\s*[:：]\s+|\s+[–—-]\s+")
#: why a value is null
NOT_GIVEN = "The model found no such value in the quotes."

Place = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class FoundRow:
    """A row of a page, which is its text from ``start`` to ``end``, with the values of fields by name."""

    start: int
    end: int
    values: dict[str, Value]


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
    items = [found.strip() for found in _LISTED.findall(quote)] or [part for part in _BETWEEN.split(short) if part]
    if leaf.choices:
        return tuple(choice for choice in leaf.choices if _named(choice, f"{sentence}\n{quote}")) or None
    if leaf.kind == "string":
        kept = [item.rstrip(" .;,") for item in items if len(item) <= _LONGEST]
    else:
        kept = [
            number
            for item in items
            for found in _NUMBER.findall(item)[:1]
            if (number := _number(leaf, found)) is not None
        ]
    return tuple(dict.fromkeys(kept)) if kept and len(kept) == len(items) else None


def _named(choice: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(choice)}(?!\w)", text, re.IGNORECASE) is not None


def _value(leaf: Leaf, short: str, sentence: str) -> str | float | bool | None:
    if leaf.kind == "boolean":
        said = short.casefold().strip(" .")
        return True if said in _YES else False if said in _NO else None
    if leaf.kind == "string" and not leaf.choices:
        return short or (sentence if len(sentence) <= _LONGEST else None)
    for text in (short, sentence):
        values: set[str | float] = (
            {choice for choice in leaf.choices if _named(choice, text)}
            if leaf.kind == "string"
            else {number for found in _NUMBER.findall(text) if (number := _number(leaf, found)) is not None}
        )
        if len(values) == 1:
            return values.pop()
    return None


def _number(leaf: Leaf, found: str) -> float | None:
    number = float(re.sub(r"[,\u202f\u00a0]", "", found).replace("−", "-"))
    is_low = leaf.minimum is not None and number < leaf.minimum
    is_high = leaf.maximum is not None and number > leaf.maximum
    if is_low or is_high or (leaf.kind == "integer" and not number.is_integer()):
        return None
    return int(number) if leaf.kind == "integer" else number


def rows_of(rows: Rows, text: str, within: Place, lang: str) -> list[FoundRow]:
    """Return the rows that a part of a page gives, of the table that has most of the fields, or of a list; at most 50.

    ``within`` is the part of the page that was found: a table that begins or ends beyond it is read as a whole.
    """
    tables = [table for table in _tables(text) if table[0][0] < within[1] and within[0] < table[-1][1]]
    read = [found for table in tables if (found := _of_table(rows, text, table, lang))]
    most = max(read, key=lambda found: sum(len(row.values) for row in found), default=[])
    return (most or _of_list(rows, text, within))[:MAX_ROWS]


def _tables(text: str) -> Iterator[list[Place]]:
    """Yield the lines of each table of two rows or more."""
    run: list[Place] = []
    start = 0
    for line in [*text.split("\n"), ""]:
        if _BORDER.search(line.strip(" |")):
            run.append((start, start + len(line)))
        else:
            if len(run) > 1:
                yield run
            run = []
        start += len(line) + 1


def _of_table(rows: Rows, text: str, lines: Sequence[Place], lang: str) -> list[FoundRow]:
    header = _cells(text[slice(*lines[0])])
    columns = _columns(rows.fields, header, lang)
    found = []
    for start, end in lines[1:] if columns else ():
        cells = _cells(text[start:end])
        if len(cells) != len(header):  # merged cells: which column is which?
            continue
        said = {leaf.path[-1]: cell_value(leaf, cells[at]) for leaf, at in columns}
        values = {name: value for name, value in said.items() if value is not None}
        found += [FoundRow(start=start, end=end, values=values)] if values else []
    return found


def _cells(line: str) -> list[str]:
    return [sanitize_line(cell) for cell in _BORDER.split(line.strip().removeprefix("| ").removesuffix(" |"))]


def _columns(fields: Sequence[Leaf], header: Sequence[str], lang: str) -> list[tuple[Leaf, int]]:
    """Return the column of each field; none unless the header names half of the fields.

    The first column, which names the rows, may be the first text that the header does not name.
    """
    heads = [frozenset(terms_of(cell, lang)) for cell in header]
    wanted = {leaf: frozenset(terms_of(leaf.words, lang)) for leaf in fields}
    alike = sorted(
        ((_likeness(wanted[leaf], head), -at, leaf) for leaf in fields for at, head in enumerate(heads)),
        key=lambda each: each[:2],
        reverse=True,
    )
    columns: dict[Leaf, int] = {}
    for likeness, at, leaf in alike:
        if likeness and leaf not in columns and -at not in columns.values():
            columns[leaf] = -at
    left = [leaf for leaf in fields if leaf not in columns and leaf.kind == "string" and not leaf.choices]
    if columns and left and 0 not in columns.values():
        columns[left[0]] = 0
    return [(leaf, columns[leaf]) for leaf in fields if leaf in columns] if 2 * len(columns) >= len(fields) else []


def _likeness(wanted: frozenset[str], head: frozenset[str]) -> float:
    """Return the share of words that a field and a column have in common, if one has all of the other's."""
    is_alike = bool(wanted and head) and (wanted <= head or head <= wanted)
    return len(wanted & head) / len(wanted | head) if is_alike else 0.0


def _of_list(rows: Rows, text: str, within: Place) -> list[FoundRow]:
    """Return the items of a list for one field, or for two if every item has a name and what is said of it."""
    lines = [found for found in _ITEM.finditer(text, *within) if found.start() == 0 or text[found.start() - 1] == "\n"]
    said = [[found["said"]] if len(rows.fields) == 1 else _SAYS.split(found["said"], maxsplit=1) for found in lines]
    if len(said) < 2 or any(len(parts) != len(rows.fields) for parts in said):
        return []
    found = []
    for line, parts in zip(lines, said, strict=True):
        read = zip(rows.fields, parts, strict=True)
        values = {leaf.path[-1]: cell_value(leaf, sanitize_line(part).rstrip(" .;,")) for leaf, part in read}
        if any(value is None for value in values.values()):
            return []
        kept = {name: value for name, value in values.items() if value is not None}
        found.append(FoundRow(start=line.start("said"), end=line.end(), values=kept))
    return found


def with_given(
    form: Sequence[Leaf | Rows], rules: StructuredAnswer, given: Sequence[Given], *, confidence: float
) -> StructuredAnswer:
    """Return a form that rules have filled with the values that a model gave, where they are in their quotes."""
    fields: list[StructuredField] = []
    for each in form:
        old = [field for field in rules.fields if f"{field.path}/".startswith(f"{each.pointer}/")]
        own = list(_rows(each, given, confidence) if isinstance(each, Rows) else _field(each, given, confidence))
        if isinstance(each, Leaf):
            fields += own or [StructuredField(path=each.pointer, value=None, reason=NOT_GIVEN)]
        else:
            values, old_values = (sum(field.value is not None for field in some) for some in (own, old))
            fields += own if values > old_values else old
    return StructuredAnswer(value=filled(form, {field.path: field.value for field in fields}), fields=tuple(fields))


def _rows(rows: Rows, given: Sequence[Given], confidence: float) -> Iterator[StructuredField]:
    for at in range(MAX_ROWS):
        paths = [(leaf, pointer_of(*rows.path, at, *leaf.path)) for leaf in rows.fields]
        found = {path: field for leaf, path in paths for field in _field(leaf, given, confidence, path)}
        for _, path in paths if found else ():
            yield found.get(path, StructuredField(path=path, value=None, reason=NOT_GIVEN))


def _field(leaf: Leaf, given: Sequence[Given], confidence: float, path: str = "") -> Iterator[StructuredField]:
    """Yield a field if the model gave a value that is in its quote."""
    here = [each for each in given if each.path == (path or leaf.pointer) and _is_quoted(leaf, each)]
    read = [
        (value, each.citation)
        for each in here
        if not isinstance(value := cell_value(leaf, each.text), tuple) and value is not None
    ]
    if read:
        whole: Value = tuple(dict.fromkeys(value for value, _ in read)) if leaf.is_list else read[0][0]
        yield StructuredField(path=path or leaf.pointer, value=whole, confidence=confidence, citation=read[0][1])


def _is_quoted(leaf: Leaf, given: Given) -> bool:
    quote = given.citation.quote
    if leaf.kind in ("number", "integer"):
        value = cell_value(leaf, given.text)
        return any(cell_value(leaf, number) == value for number in _NUMBER.findall(quote))
    return leaf.kind == "boolean" or set(words(given.text)) <= set(words(quote))
