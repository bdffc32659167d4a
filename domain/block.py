"""Define the kinds of text in a page: a block is a span of its text that is one thing, such as a list or a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

#: prose: a paragraph; list: its items, each "- …" on its line; table: its rows, cells apart by " | ";
#: definition: a term's line and the description below it
BlockKind = Literal["prose", "heading", "list", "table", "definition", "code"]
BLOCK_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A part of a text that is one thing: ``text[start:end]``."""

    kind: BlockKind
    start: int
    end: int
