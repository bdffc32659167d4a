"""Cut a model's reply into blocks: sentences of prose, items, steps, rows of a table, code and headings.

Marks of Markdown are cut off, so that a block's text is what it says. Steps are those numbered from 1 on: "3. Oktober"
begins a sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from domain.answer import AnswerBlock
from text.sentences import sentence_spans

_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}(?:#{1,6}\s+(?P<marked>\S.*)|\*\*(?P<bold>[^*]+)\*\*:?\s*)$")
_MARK = re.compile(r"\s*(?:[-*+•‣]|(?P<number>\d{1,3})[.)])\s+(?=\S)")
_ROW = re.compile(r"\s*\|(?P<cells>.*)\|\s*$")
#: a line between parts, or below a table's header
_RULE = re.compile(r"\s*(?:\|(?:\s*:?-+:?\s*\|)+|(?:[-*_]\s*){3,})$")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
_GOES_ON = re.compile(r"\s{2,}\S")


@dataclass(frozen=True, kw_only=True)
class ReplyBlock:
    """A block that the model wrote in ``reply[start:end]``."""

    kind: AnswerBlock
    text: str  #: prose on one line, code with its lines
    start: int
    end: int
    is_closed: bool = True  #: whether it is at its end whatever follows


def blocks_of(reply: str) -> list[ReplyBlock]:
    """Return the blocks of a reply, in order."""
    lines = list(_lines(reply))
    has_steps = {"1", "2"} <= {mark["number"] for start, end in lines if (mark := _MARK.match(reply[start:end]))}
    found: list[ReplyBlock] = []
    prose: int | None = None  # where a run of prose begins
    at = 0
    while at < len(lines):
        start, end = lines[at]
        line = reply[start:end]
        fence = _FENCE.match(line)
        block = None if fence else _block(line, start, has_steps=has_steps)
        goes_on = prose is None and bool(found) and found[-1].kind in ("item", "step") and _GOES_ON.match(line)
        if fence is None and block is None and not _RULE.match(line) and not goes_on:
            prose = start if prose is None and line.strip() else prose
            at += 1
            continue
        if prose is not None:
            found += _sentences(reply, prose, start)
            prose = None
        if fence:
            code, at = _code(reply, lines, at, fence[1])
            found += [code] if code.text else []
            continue
        if block is not None and not _RULE.match(line):
            found.append(block)
        elif goes_on and not _RULE.match(line):
            found[-1] = _longer(found[-1], line, end)
        at += 1
    return found if prose is None else [*found, *_sentences(reply, prose, len(reply))]


def _lines(reply: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in reply.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _block(line: str, start: int, *, has_steps: bool) -> ReplyBlock | None:
    """Return the block that a line begins; None for prose."""
    kind: AnswerBlock
    if heading := _HEADING.match(line):
        kind, text = "heading", (heading["marked"] or heading["bold"]).strip(" #:*")
    elif row := _ROW.match(line):
        kind, text = "row", " | ".join(cell.strip() for cell in _BETWEEN_CELLS.split(row["cells"]))
    elif (mark := _MARK.match(line)) and (mark["number"] is None or has_steps):
        kind, text = "step" if mark["number"] else "item", " ".join(line[mark.end() :].split())
    else:
        return None
    return ReplyBlock(kind=kind, text=text, start=start, end=start + len(line), is_closed=kind in ("row", "heading"))


def _longer(block: ReplyBlock, line: str, end: int) -> ReplyBlock:
    return ReplyBlock(
        kind=block.kind, text=" ".join((block.text, *line.split())), start=block.start, end=end, is_closed=False
    )


def _sentences(reply: str, start: int, end: int) -> Iterator[ReplyBlock]:
    prose = reply[start:end]
    for first, last in sentence_spans(prose):
        text = " ".join(prose[first:last].split())
        yield ReplyBlock(kind="", text=text, start=start + first, end=start + last, is_closed=False)


def _code(reply: str, lines: list[tuple[int, int]], at: int, fence: str) -> tuple[ReplyBlock, int]:
    """Return the code that a fence begins, and the number of the line behind it."""
    inside: list[str] = []
    last = at + 1
    while last < len(lines) and not reply[slice(*lines[last])].strip().startswith(fence):
        inside.append(reply[slice(*lines[last])])
        last += 1
    indent = min((len(line) - len(line.lstrip()) for line in inside if line.strip()), default=0)
    text = "\n".join(line[indent:].rstrip() for line in inside).strip("\n")
    is_closed = last < len(lines)
    end = lines[last][1] if is_closed else len(reply)
    return ReplyBlock(kind="code", text=text, start=lines[at][1], end=end, is_closed=is_closed), last + 1
