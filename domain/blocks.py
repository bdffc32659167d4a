"""Group the sentences of an answer into what is shown together: paragraphs, lists, tables, code and headings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.answer import AnswerBlock, Sentence

#: what ends a sentence that announces the next one
LEADS_IN: Final = (":", "：")
_TOGETHER: Final = ("", "item", "step", "row")
_BETWEEN_CELLS: Final = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, kw_only=True)
class Part:
    """Sentences of one kind, one after the other."""

    block: AnswerBlock
    sentences: tuple[Sentence, ...]
    first: int = 1  #: the number of its first step


def parts_of(sentences: Sequence[Sentence]) -> list[Part]:
    """Return the parts in order; steps go on counting until a heading or a lead-in, because code may part them."""
    parts: list[Part] = []
    steps = 0
    for sentence in sentences:
        if sentence.block == "heading" or (not sentence.block and sentence.text.endswith(LEADS_IN)):
            steps = 0
        last = parts[-1] if parts else None
        if last is not None and last.block == sentence.block and sentence.block in _TOGETHER:
            parts[-1] = Part(block=last.block, sentences=(*last.sentences, sentence), first=last.first)
        else:
            parts.append(Part(block=sentence.block, sentences=(sentence,), first=steps + 1))
        steps += sentence.block == "step"
    return parts


def cells_of(row: str) -> list[str]:
    r"""Return what stands in the cells of a row; ``\|`` is no border."""
    return [cell.strip().replace("\\|", "|") for cell in _BETWEEN_CELLS.split(row)]


def fence_for(code: str) -> str:
    """Return backticks that the code does not have so many of in a row."""
    return "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
