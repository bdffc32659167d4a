"""The documents' pages, their fenced blocks, and the commands in those."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {
    path.relative_to(ROOT).as_posix(): path
    for path in (*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")), ROOT / "evals/README.md")
}

#: pages whose shell is run in order, with all that is in it, by tests/live/test_pages.py
RUN_WHOLE = (
    *("docs/tutorial.md", "docs/how-to/overnight.md", "docs/how-to/schedule.md"),
    *("docs/how-to/flower.md", "docs/how-to/servers.md", "docs/how-to/intranet.md", "docs/how-to/news.md"),
)
#: what cannot run in a test, by what the command line begins with → why; tests/docs reads these lines all the same
NOT_RUN = {
    "make": "installs and tests everything, or measures for minutes: tests/docs asks `make -n` for the target",
    "docker": "needs a Docker daemon and its registry: tests/containers reads what it is given",
    "kubectl": "needs a cluster: tests/test_kubernetes.py reads what it is given",
    "pip install '.[ocr]'": "installs 250 MB: `make frameworks` reads scanned PDFs with them",
    "pip install '.[otel]'": "is installed here: tests/live/test_traces.py sends to a collector",
    "wellread source edit https://wiki.example.org/ --client-cert": "needs certificates, as a test has",
    "wellread files watch": "reaches GitHub and AWS: tests/workers/files has a Git server and one that speaks S3",
    "python -m evals.asked": "reads what a run of several minutes has written",
}
#: what a test of tests/live/test_blocks.py runs by itself, by words of the block
ALONE = (
    "wellread:secret@",
    "wellread api\nwellread beat",
    "wellread worker answer",
    "WELLREAD_API_KEYS=",
    "wellread reindex",
    "wellread restore",
    "WELLREAD_ANTHROPIC_API_KEY=",
)

API = "http://127.0.0.1:8484"
BROKER = "redis://127.0.0.1:6379/0"
#: the broker that `wellread up` names
SOCKET = "redis+socket:///home/YOU/.local/share/wellread/run/valkey.sock"
#: what stands before a command in a line of shell
ASSIGNED = re.compile(r"[A-Z_]+=.*")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@cache
def blocks(*languages: str) -> list[Block]:
    """All fenced blocks in one of the languages."""
    found = []
    for name, path in PAGES.items():
        text = path.read_text("utf-8")
        for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(name, line, match[1], match[2]))
    return [block for block in found if block.language in languages]


def commands(block: Block) -> Iterator[list[str]]:
    """The commands of a block of plain shell, without comments and assignments before them."""
    for line in _lines(block.text.replace("\\\n", " ")):
        words = shlex.split(line, comments=True)
        if words[:1] == ["export"]:
            assert all(ASSIGNED.fullmatch(word) for word in words[1:]), line
            continue
        while words and ASSIGNED.fullmatch(words[0]):
            words = words[1:]
        if words:
            yield words


def _lines(text: str) -> Iterator[str]:
    """The lines of shell; what stands in quotes over several lines is one."""
    waiting = ""
    for line in text.splitlines():
        waiting += line
        try:
            shlex.split(waiting, comments=True)
        except ValueError:  # an open quote
            waiting += "\n"
        else:
            yield waiting
            waiting = ""
    assert not waiting, f"an open quote: {waiting}"


def single_commands() -> list[Block]:
    """The blocks of shell that are looked at command by command."""
    return [block for block in blocks("sh") if block.page not in RUN_WHOLE]


def every_command(program: str) -> list[Any]:
    found = [(block, words) for block in single_commands() for words in commands(block) if words[0] == program]
    return [pytest.param(words, id=f"{block} {' '.join(words[:3])}") for block, words in found]
