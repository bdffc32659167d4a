"""Split passages into sentences, each with its kind and with the lines above it that say what it is about.

A heading, a question, a signature or a line that ends in a colon tells nothing itself: its words count for the
sentences that follow. So does an announcement of what cannot be quoted with it: alone it is half a sentence.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import dropwhile, groupby, takewhile
from typing import Final, Literal

from domain import TABLES, Block, BlockKind, Passage, StatedFact
from pipeline.safety.injection import is_injected
from text.sentences import sentence_spans
from text.terms import terms_of

#: prose, rows (of a list or a table), snippets (code directly below a heading, which says what it does) and perhaps
#: pointers (to further reading) can answer; a signature is the name that documentation describes below it, a header the
#: first row of a table
SentenceKind = Literal["prose", "row", "snippet", "pointer", "heading", "question", "signature", "code", "header"]
ANSWERING: frozenset[SentenceKind] = frozenset({"prose", "row", "snippet", "pointer"})

#: the largest share of code marks among the characters of prose
_MARKS_IN_PROSE = 0.06
_CODE_MARKS = re.compile(r"[=_(){}\[\]<>|\\@$#*/]")
_CODE_BEGINS = re.compile(
    r">>>|\.\.\.(?:\s|$)|\$ |@\w|#|[\w.\[\]'\", ]+ = |[\w.]+\(|[)}\]]"
    r"|(?:import|from|def|class|with|for|while|if|else|elif|try|except|return|print|async|await)\b.*[:()=\w]$"
)
_SIGNATURE = re.compile(
    r"(?:(?:class|exception|async|abstract|static|classmethod|method|property|function|def|coroutine|module) ?)*"
    r"@?[A-Za-z_][\w:]*(?:\.\w+)*(?:\([^\n]{0,300}\)|\.\w+|_\w+)(?: (?:->|→|=|:) [^\n]{1,120})?"
    r"|--?[a-z][\w-]*(?:[ =,].{0,80})?"
)
_HEADING_WORDS, _PROSE_WORDS = 12, 4
#: "Accessibility: paths, steps, and seeing the lantern."
_POINTER = re.compile(r"[^\W\d_][\w' -]{2,40}: [^\W\d_A-Z][^.:\d]*\.?")
_ENDS = re.compile(r"[.!…:;。！][\"'”’»)\]]*(?: ?\[\d+\])*$")
CAPTION = re.compile(
    r"(?:fig(?:ure|ura|\.)|abb(?:ildung|\.)|tab(?:le|elle|leau|la|ela|el|\.)|afbeelding)\s*\d", re.IGNORECASE
)
_LABELLED = re.compile(r"[^\W\d][^:\d]{0,40}: .*\d")  #: "Phone: 040 555"
_ASKS = re.compile(r"[?？][\"'”’»)\]]*$")

#: passages whose sentences are remembered, some 20 KB each
REMEMBERED: Final = 256
#: the longest code that is one snippet
MAX_SNIPPET_CHARACTERS: Final = 500
#: the longest quote of a sentence with the list or code it announces; of a longer one the first lines are quoted
MAX_QUOTE_CHARACTERS: Final = 700
#: blocks that are read line by line; their parts belong together
LINES: Final[frozenset[BlockKind]] = frozenset({"list", "definition", *TABLES})
#: kinds of lines that are announced together
_ANNOUNCED: Final[frozenset[SentenceKind]] = frozenset({"code", "row", "header", "signature"})
#: blocks whose sentences are of one kind; that of others shows in their form
_KINDS: Mapping[BlockKind, SentenceKind] = {"heading": "heading", "code": "code", "table": "row", "rows": "row"}
_BULLET = re.compile(r"(?:[-*•‣]\s+)+")
_NUMBER = re.compile(r"(?:\d{1,5}|[a-zA-Z]{1,2}|[ivxlcdmIVXLCDM]{1,8})\.\s+")  #: of a list's item
_SECTION = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)\.?\s(?!.*[.!?]$)")
#: the most words of a table's header in one cell
_HEADER_CELL_WORDS = 4
_YEAR = re.compile(r"(?:19|20)\d\d")
_ROW = re.compile(r"\S(?:.*\S)?")
_BETWEEN_LINKS = re.compile(r" [|·] ")
_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")


@dataclass(frozen=True, kw_only=True)
class Span:
    """A sentence of a passage: exactly ``passage.text[start:end]``."""

    passage: Passage
    start: int
    end: int
    kind: SentenceKind
    terms: tuple[str, ...]  #: in order, analysed as the question's language is
    context_terms: frozenset[str] = frozenset()  #: terms of the heading, question, signature or announcement above it
    context_distance: int = 0  #: in sentences, to that line
    named_at: int | None = None  #: start of the signature directly above it
    block: int = 0  #: the place of its block in the passage; a paragraph is one
    block_kind: BlockKind = "prose"
    marked_at: int | None = None  #: start of the mark of a list's item, "1." or "-", before it

    @cached_property
    def text(self) -> str:
        """Return the sentence verbatim."""
        return self.passage.text[self.start : self.end]

    def states(self, stated: StatedFact) -> bool:
        """Return whether the fact is in the sentence, or its object is, if its place in the page is not known."""
        return stated.is_in(self.passage.page_id, self.text, self.passage.start + self.start)

    @cached_property
    def held_terms(self) -> frozenset[str]:
        """Return its terms, each once."""
        return frozenset(self.terms)


@lru_cache(maxsize=REMEMBERED)  # the passes of a question, and its parts, look at the same passages
def spans_of(passage: Passage, lang: str) -> tuple[Span, ...]:
    """Return every sentence of a passage in order, its terms analysed as those of a question in ``lang``."""
    spans = _with_snippets(_with_values(_with_headers(_with_numbered_headings([*_sentences_of(passage, lang)]))))
    return tuple(_without_halves([*_with_context(spans, terms_of(passage.lead, lang))]))


def announced_by(span: Span, following: Iterable[Span]) -> Span | None:
    """Return the last line to quote with an announcement: of the list, rows or code below it, what fits; or None.

    Of a paragraph it is the first sentence, or its line that has no full stop.
    """
    below = list(dropwhile(_leads_on, following))
    if not below:
        return None
    first, announced = below[0], below[:1]
    if first.block_kind in LINES:
        announced = [other for other in below if other.block == first.block]
    elif first.kind in _ANNOUNCED:
        announced = list(takewhile(lambda other: other.kind in _ANNOUNCED, below))
    elif first.block_kind != "prose" or first.kind not in ("prose", "heading"):
        return None
    fitting = [other for other in announced if other.end - span.start <= MAX_QUOTE_CHARACTERS]
    return next((other for other in reversed(fitting) if not other.text.endswith(":")), None)


def _sentences_of(passage: Passage, lang: str) -> Iterator[Span]:
    """Yield the sentences without the marks of list items and without the permalinks of headings."""
    text = passage.text
    for start, end, place, block in _in_blocks(passage):
        bullet = _BULLET.match(text, start, end) or (_NUMBER.match(text, start, end) if block == "list" else None)
        first = bullet.end() if bullet else start
        shown = text[first:end].rstrip("¶ ")
        known = block if passage.blocks else None
        if shown:
            yield Span(
                passage=passage,
                start=first,
                end=first + len(shown),
                kind=_KINDS.get(block) or kind_of(shown, block=known, bulleted=bullet is not None),
                terms=terms_of(shown, lang),
                block=place,
                block_kind=block,
                marked_at=start if bullet else None,
            )


def _in_blocks(passage: Passage) -> Iterator[tuple[int, int, int, BlockKind]]:
    """Yield the sentences of a passage, each with the place and the kind of its block; none goes beyond its block."""
    paragraphs = (Block(kind="prose", start=each.start(), end=each.end()) for each in _PARAGRAPH.finditer(passage.text))
    for place, block in enumerate(passage.blocks or paragraphs):
        text = passage.text[block.start : block.end]
        begin, kind = block.start, block.kind
        if kind in TABLES and " | " not in text.lstrip("| "):  # no two cells: a note in a frame, say
            begin, kind = block.end - len(text.lstrip("| ")), "prose"
        rows = [found.span() for found in _ROW.finditer(text)] if kind in TABLES else None
        for start, end in sentence_spans(passage.text[begin : block.end]) if rows is None else rows:
            yield begin + start, begin + end, place, kind


def _with_numbered_headings(spans: Sequence[Span]) -> list[Span]:
    """Return the spans of one passage, a line "3. Living here" directly above "3.1 …" as a heading."""
    below = [*(span.text for span in spans), ""][1:]
    numbers = (_SECTION.match(span.text) for span in spans)
    return [
        replace(span, kind="heading") if found and after.startswith(f"{found[1]}.1") else span
        for span, found, after in zip(spans, numbers, below, strict=True)
    ]


def _with_headers(spans: Sequence[Span]) -> list[Span]:
    """Return the spans of one passage, the first row of a longer table as its header, where no cell is a value."""
    return [replace(span, kind="header") if _is_header(spans, at) else span for at, span in enumerate(spans)]


def _is_header(spans: Sequence[Span], at: int) -> bool:
    span = spans[at]
    if span.block_kind != "table" or (at and spans[at - 1].block == span.block):
        return False
    if at == 0 and span.passage.lead:  # the rest of a table that began in another passage
        return False
    cells = span.text.split(" | ")
    below = [other for other in spans[at + 1 : at + 3] if other.block == span.block]
    names = [cell for cell in cells if not _YEAR.fullmatch(cell)] if len(_YEAR.findall(span.text)) > 1 else cells
    short = all(len(cell.split()) <= _HEADER_CELL_WORDS and not any(map(str.isdigit, cell)) for cell in names)
    return len(below) > 0 and len(cells) > 1 and short


def _with_values(spans: Sequence[Span]) -> list[Span]:
    """Return the spans of one passage, lone lines with a value below a heading as rows: "Open daily 9:00 to 17:00"."""
    found: list[Span] = []
    sizes = Counter(span.block for span in spans)
    for span in spans:
        before = found[-1] if found else None
        is_below = bool(span.passage.lead)
        if before:
            is_below = before.block_kind == "heading" or (before.kind, before.block_kind) == ("row", "prose")
        is_line = sizes[span.block] == 1 and (span.kind, span.block_kind) == ("heading", "prose")
        if is_below and is_line and any(map(str.isdigit, span.text)):
            is_other = CAPTION.match(span.text) or _BETWEEN_LINKS.search(span.text)
            span = span if is_other else replace(span, kind="row")
        found.append(span)
    return found


def _with_snippets(spans: Sequence[Span]) -> list[Span]:
    """Return the spans of one passage, the lines of a code block directly below a heading as one, where it is short."""
    found: list[Span] = []
    for of_block in (list(group) for _, group in groupby(spans, key=lambda span: span.block)):
        first, last = of_block[0], of_block[-1]
        is_headed = found[-1].kind == "heading" if found else bool(first.passage.lead)
        if first.block_kind == "code" and is_headed and last.end - first.start <= MAX_SNIPPET_CHARACTERS:
            terms = tuple(term for span in of_block for term in span.terms)
            of_block = [replace(first, kind="snippet", end=last.end, terms=terms)]
        found += of_block
    return found


def _with_context(spans: Sequence[Span], context_terms: Iterable[str]) -> Iterator[Span]:
    """Yield the spans of a passage, each with the terms of its context, of which the first has ``context_terms``."""
    heading: frozenset[str] = frozenset()
    above = frozenset(context_terms)
    named_at: int | None = None
    since = 0
    for at, span in enumerate(spans):
        terms = frozenset(span.terms)
        yield replace(span, context_terms=heading | above, context_distance=since, named_at=named_at)
        since += span.kind == "prose"
        if span.kind == "heading":
            heading, above, since = terms, frozenset(), 0
        elif span.kind == "question" or (span.kind == "signature" and named_at is None):
            above, since = terms, 0
        elif span.kind == "signature" or _announces(spans, at):
            above, since = above | terms, 0  # several signatures may share one description
        if span.kind != "signature":
            named_at = None
        elif named_at is None:
            named_at = span.start


def _without_halves(spans: Sequence[Span]) -> Iterator[Span]:
    """Yield the spans, an announcement as a heading where nothing that it announces can be quoted with it.

    No instruction to the answerer can be, nor what is below one.
    """
    for at, span in enumerate(spans):
        announces = span.kind in ANSWERING and span.text.endswith(":")
        below = takewhile(lambda other: not is_instruction(other), spans[at + 1 :])
        yield replace(span, kind="heading") if announces and announced_by(span, below) is None else span


def is_instruction(span: Span) -> bool:
    """Return whether a sentence is an instruction to the answerer, or on the same line as one."""
    return is_injected(span.passage.text, span.start, span.end)


def _leads_on(span: Span) -> bool:
    """Return whether a sentence of prose announces something, too."""
    return span.kind == "prose" and span.block_kind not in LINES and span.text.endswith(":")


def _announces(spans: Sequence[Span], at: int) -> bool:
    """Return whether a sentence ends in a colon, is directly above a table, or is its first row."""
    span, after = spans[at], spans[min(at + 1, len(spans) - 1)]
    above_rows = _is_cells(after) and (at == 0 or not _is_cells(span) or not _is_cells(spans[at - 1]))
    return span.text.endswith(":") or above_rows


def _is_cells(span: Span) -> bool:
    return span.kind in ("row", "header") and " | " in span.text


def looks_like_code(text: str) -> bool:
    """Return whether a sentence is code, a signature or program output rather than prose."""
    return bool(_CODE_BEGINS.match(text)) or len(_CODE_MARKS.findall(text)) > _MARKS_IN_PROSE * len(text)


def kind_of(text: str, *, block: BlockKind | None = None, bulleted: bool = False) -> SentenceKind:
    """Return the kind of a sentence by its form, and by the kind of its block; None where that is not known."""
    if _SIGNATURE.fullmatch(text):
        return "signature"
    if " | " in text and block != "prose":
        return "row"
    if looks_like_code(text) and not _is_sentence_about_code(text):
        return "code"
    if asks(text):
        return "question"
    if bulleted and _POINTER.fullmatch(text):
        return "pointer"
    if _ENDS.search(text):
        return "prose"
    return _kind_without_stop(text, block, bulleted=bulleted)


def _kind_without_stop(text: str, block: BlockKind | None, *, bulleted: bool) -> SentenceKind:
    """Return the kind of a line without a full stop: a long one in a paragraph is a sentence that only lacks it."""
    is_long = len(text.split()) > _HEADING_WORDS
    if bulleted:
        return "row"
    if CAPTION.match(text):
        return "heading"
    if block == "prose":
        return "prose" if is_long else "row" if _LABELLED.match(text) else "heading"
    return "row" if is_long or any(map(str.isdigit, text)) else "heading"


def asks(text: str) -> bool:
    """Return whether a sentence ends in a question mark."""
    return _ASKS.search(text) is not None


def _is_sentence_about_code(text: str) -> bool:
    """Return whether a line with code marks is a sentence about code, or announces some: "Edit /etc/app.conf:"."""
    if text.endswith(":") and text[0].isupper() and not _CODE_BEGINS.match(text):
        return True
    plain = [word for word in text.split() if word.strip("(),.;:'\"").isalpha()]
    return text.endswith((".", "!", ".)")) and len(plain) >= _PROSE_WORDS
