"""Find the cell of a table, or the value of a record, that is the short answer; none where it is not clear which.

A cell is told by the header of its column and the other cells of its row; a value of a record ("Part: T4; Stock: 9") by
its label and the other values. The cell that alone is told by the most of the question's words answers, where none of
them is left over: a row on a valve does not say what a pump costs.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from domain import Focus
from pipeline.judging.sentences import Span
from pipeline.question.analysis import Analysis
from pipeline.question.answer_type import AnswerType, answer_type_of, is_number
from pipeline.safety.sanitize import sanitize_line
from text.related_words import MISSPELLED, best_weight, find_related
from text.terms import terms_of

Place = tuple[int, int]

#: the confidence in a cell in which no short answer was found, or an unsure one
_SETTLED = 0.7
#: in a longer cell the short answer that was found in it stays
_SHORT_CELL = 8
_EDGE = re.compile(r"(?:^|(?<=\s))\|(?=\s|$)")
_FIELD = re.compile(r"(?P<label>[^\W\d_][^:;|.]{0,40}?): ++(?P<value>[^;]+?)(?:; +|;\s*$|(?<!\s)\s*$)")
_BULLET = re.compile(r"\s*(?:[-*•‣]\s+)*")
_FIRST_WORD = re.compile(r"[^\W_]+")
_CLOCK = re.compile(r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?(?:[ap]\.?m\b|Uhr|h\b)")
_MONEY = re.compile(r"[£$€¥]|\b(?:euros?|pounds?|dollars?|francs?|franken|cents?|EUR|USD|GBP|CHF)\b", re.IGNORECASE)
#: what a sum of money says without a word
_MONEY_WORDS = "cost price pay kosten kostet preis zahlen bezahlen coûte prix cuesta precio costa prezzo custa preço"
#: what a cell of such a form says without a header
_MEANS = ((_MONEY, _MONEY_WORDS), (_CLOCK, "time hours Uhrzeit heure hora ora"))
#: kinds of answers that have a number
_WITH_NUMBER: frozenset[AnswerType] = frozenset({"time", "money", "number"})


@dataclass(frozen=True, kw_only=True)
class _Cell:
    """A cell ``row[start:end]`` of the line ``row``."""

    row: str
    places: Sequence[Place]  #: of all cells of its row
    at: int  #: its own among them
    header: str

    @property
    def start(self) -> int:
        return self.places[self.at][0]

    @property
    def end(self) -> int:
        return self.places[self.at][1]

    @property
    def text(self) -> str:
        return self.row[self.start : self.end]

    @property
    def label(self) -> str:
        """Return the first cell of its row."""
        return self.row[slice(*self.places[0])]

    @property
    def beside(self) -> str:
        """Return the other cells of its row; a row of thousands would be kept thousands of times."""
        return " ".join(self.row[slice(*place)] for at, place in enumerate(self.places) if at != self.at)

    @property
    def is_value(self) -> bool:
        """Return whether it begins with a number, perhaps behind a sign."""
        first = _FIRST_WORD.search(self.text)
        return first is not None and is_number(first[0])


@dataclass(frozen=True, kw_only=True)
class Table:
    """The cells of a table, or of records, without its header."""

    cells: tuple[_Cell, ...]
    header: str
    corner: str = ""  #: the first cell of the header: what the rows or the columns are


def table_of(span: Span) -> Table | None:
    """Return the table that a sentence of a passage is a row of; None for any other sentence."""
    return table_at(span.passage.text, span.start, span.passage.lead)


def table_at(text: str, position: int, lead: str = "") -> Table | None:
    """Return the table, or the records, in whose row a position is; ``lead`` is its header where it is cut off."""
    lines = text.split("\n")
    at = text.count("\n", 0, position)
    cut_off = [lead] if " | " in lead else []
    for split in (_cells, _fields):
        if not split(lines[at]):
            continue
        first, last = at, at
        while first and split(lines[first - 1]):
            first -= 1
        while last + 1 < len(lines) and split(lines[last + 1]):
            last += 1
        rows = lines[first : last + 1]
        return _records(rows) if split is _fields else _rows((cut_off if not first else []) + rows, lines[at])
    return None


def focus_in_table(
    analysis: Analysis, table: Table, quote: str, found: Focus | None, *, context: Collection[str] = ()
) -> Focus | None:
    """Return where the quote has the cell that answers, or the short answer found in it; None where none is clear.

    ``context`` are the terms of the headings and the title above, which tell the same of every cell.
    """
    cell = _choose(analysis, table, frozenset(context).union(terms_of(table.corner, analysis.lang)))
    row_at = quote.find(shown) if cell and (shown := sanitize_line(cell.row)) else -1
    at = quote.find(sanitize_line(cell.text), row_at + _shift(cell)) if cell and row_at >= 0 else -1
    if cell is None or at < 0:
        return None
    end = at + len(sanitize_line(cell.text))
    is_short, agrees = len(cell.text.split()) <= _SHORT_CELL, found and at <= found.start and found.end <= end
    if not is_short:
        return found if agrees else None
    return Focus(start=at, end=end, confidence=max(_SETTLED, found.confidence) if found and agrees else _SETTLED)


def context_of(span: Span, table: Table, lang: str) -> frozenset[str]:
    """Return the terms of the title and of the lines above a row, without those of the table's header."""
    return (span.led_by - frozenset(terms_of(table.header, lang))) | frozenset(terms_of(span.passage.title, lang))


def _shift(cell: _Cell) -> int:
    return len(sanitize_line(cell.row[: cell.start]))


def _choose(analysis: Analysis, table: Table, context: frozenset[str]) -> _Cell | None:
    """Return the one cell that the most words of the question tell of, where they all do."""
    told = [frozenset(_told(cell, analysis.lang)) for cell in table.cells]
    related = _related(analysis, frozenset().union(context, *told))
    shares = [sum(best_weight(others, terms) for others in related.values()) for terms in told]
    most = max(shares, default=0.0)
    equal = [at for at, share in enumerate(shares) if share == most > 0]
    asked = frozenset(related).union(*(others.keys() for others in related.values()))
    labels = {at: terms_of(table.cells[at].label, analysis.lang) for at in equal}
    labelled = [at for at, label in labels.items() if label and asked.issuperset(label)]
    if len(equal) != 1 and len(labelled) != 1:
        return None
    [best] = equal if len(equal) == 1 else labelled  # of "Kite" and "Kite Plus" the question says "Kite" alone
    cell, known = table.cells[best], told[best] | context
    if any(others.keys().isdisjoint(known) for others in related.values()):
        return None
    own = frozenset(terms_of(cell.text, analysis.lang))
    repeats = not cell.is_value and any(not others.keys().isdisjoint(own) for others in related.values())
    return None if repeats or not _fits(answer_type_of(analysis.text), cell) else cell


def _related(analysis: Analysis, vocabulary: Collection[str]) -> Mapping[str, Mapping[str, float]]:
    """Return the words that stand for each one of the question; a part that is spelled nearly so is another part."""
    return {
        asked: {term: weight for term, weight in others.items() if weight > MISSPELLED}
        for asked, others in find_related(analysis.terms, vocabulary, analysis.lang).items()
    }


def _told(cell: _Cell, lang: str) -> Iterator[str]:
    yield from terms_of(cell.header, lang)
    yield from terms_of(cell.beside, lang)
    if cell.is_value:  # its unit
        yield from terms_of(cell.text, lang)
    for form, means in _MEANS:
        if form.search(cell.text):
            yield from terms_of(means, lang)


def _fits(kind: AnswerType, cell: _Cell) -> bool:
    if kind in _WITH_NUMBER:
        return any(is_number(word) for word in _FIRST_WORD.findall(cell.text))
    return any(map(str.isalnum, cell.text)) and not (kind in ("name", "place") and cell.is_value)


def _rows(rows: Sequence[str], asked_row: str) -> Table:
    """Return a table whose first row is its header, but where that is the row in question or has other columns."""
    header = rows[0] if len(rows) > 1 and rows[0] != asked_row else ""
    names = [header[slice(*place)] for place in _cells(header)]
    found: list[_Cell] = []
    for row in rows[1:] if header else rows:
        places = _cells(row)
        named = names if len(names) == len(places) else [""] * len(places)
        found += _apart(row, places, named)
    return Table(cells=tuple(found), header=header, corner=names[0] if names else "")


def _records(rows: Sequence[str]) -> Table:
    found: list[_Cell] = []
    for line in rows:
        row = line[_bullet(line) :].rstrip()
        fields = list(_FIELD.finditer(row))
        found += _apart(row, [match.span("value") for match in fields], [match["label"] for match in fields])
    return Table(cells=tuple(found), header="")


def _apart(row: str, places: Sequence[Place], names: Sequence[str]) -> Iterator[_Cell]:
    for at, name in enumerate(names):
        yield _Cell(row=row, places=places, at=at, header=name)


def _cells(line: str) -> list[Place]:
    """Return where the cells of a row stand, empty ones too; none in a line without two."""
    edges = [match.span() for match in _EDGE.finditer(line.rstrip())]
    if not edges:
        return []
    starts, ends = [0, *(end for _, end in edges)], [*(start for start, _ in edges), len(line.rstrip())]
    return [_stripped(line, start, end) for start, end in zip(starts, ends, strict=True)]


def _stripped(line: str, start: int, end: int) -> Place:
    cell = line[start:end]
    first = start + len(cell) - len(cell.lstrip())
    return first, max(first, start + len(cell.rstrip()))


def _fields(line: str) -> list[Place]:
    """Return where the values of a record stand; none in a line that is anything else than two and more of them."""
    begin = _bullet(line)
    places: list[Place] = []
    while match := _FIELD.match(line, begin):
        places.append(match.span("value"))
        begin = match.end()
    return places if begin >= len(line.rstrip()) and len(places) > 1 else []


def _bullet(line: str) -> int:
    match = _BULLET.match(line)
    return match.end() if match else 0
