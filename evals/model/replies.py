"""Replies to requests, stored by the hash of the request: one JSON line each, in a file for each kind of request."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domain.errors import WellreadError
from evals.model.requests import KINDS, Kind, Request, tokens_of
from evals.model.wire import Cite, Say

#: the replies of the repository
STORED = Path(__file__).with_name("replies")
#: search result, first block, and the block after the last one
Cited = tuple[int, int, int]


class ReplyError(WellreadError):
    """A reply that was written does not fit its request; the message says how to mend it."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A stretch of an answer's text with what it cites."""

    text: str
    cites: tuple[Cited, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What somebody replied to a request: JSON, or parts of text."""

    fields: Mapping[str, Any] | None = None
    parts: tuple[Part, ...] = ()

    @property
    def text(self) -> str:
        """All of its text."""
        if self.fields is not None:
            return json.dumps(self.fields, ensure_ascii=False)
        return "".join(part.text for part in self.parts)

    def say(self, request: Request) -> Say:
        """Return it as the API gives it: cited blocks are quoted from the request."""
        usage = {"input_tokens": request.tokens, "output_tokens": tokens_of(self.text)}
        if self.fields is not None:
            return Say([self.text], usage=usage)
        cites = [[Cite(result=at, start=start, end=end) for at, start, end in part.cites] for part in self.parts]
        return Say([(part.text, own) for part, own in zip(self.parts, cites, strict=True)], usage=usage)


class Replies:
    """The stored replies; ``add`` keeps a new one, ``save`` writes the files."""

    def __init__(self, folder: Path = STORED) -> None:
        self.folder = folder
        self._lines: dict[tuple[Kind, str], Any] = {}
        for kind in KINDS:
            file = folder / f"{kind}.jsonl"
            for line in file.read_text("utf-8").splitlines() if file.is_file() else ():
                told = json.loads(line)
                self._lines[kind, told["hash"]] = told

    def __len__(self) -> int:
        return len(self._lines)

    def get(self, request: Request) -> Reply | None:
        """Return the reply to a request; None if there is none."""
        line = self._lines.get((request.kind, request.hash))
        return None if line is None else read_reply(line["reply"], request)

    def add(self, request: Request, question: str, written: Any) -> None:
        """Keep a reply to a request of this question; raise ReplyError if it does not fit the request."""
        reply = read_reply(written, request)
        line = {"hash": request.hash, "question": question, "reply": _compact(reply)}
        self._lines[request.kind, request.hash] = line

    def keep(self, used: set[str]) -> int:
        """Forget the replies to requests that are no longer made; return how many."""
        gone = [key for key in self._lines if key[1] not in used]
        for key in gone:
            del self._lines[key]
        return len(gone)

    def save(self) -> None:
        """Write the files, in the order of the questions."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for kind in KINDS:
            lines = [line for (of, _), line in self._lines.items() if of == kind]
            lines.sort(key=lambda line: (line["question"], line["hash"]))
            text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
            if text or (self.folder / f"{kind}.jsonl").is_file():
                (self.folder / f"{kind}.jsonl").write_text(text, "utf-8")


def read_reply(written: Any, request: Request) -> Reply:
    """Return a written reply; raise ReplyError if it is not in the form that its request asks for.

    JSON: an object with the properties of the schema. Otherwise parts: a list of ``{"text": …, "cites": [[result, first
    block, block after the last], …]}``, in which every cited block exists.
    """
    if request.schema is not None:
        return Reply(fields=_fields(written, request.schema))
    if not isinstance(written, list) or not written:
        raise ReplyError('An answer is a list of parts: [{"text": "…", "cites": [[result, first block, end], …]}, …].')
    return Reply(parts=tuple(_part(one, request) for one in written))


def _fields(written: Any, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(written, dict):
        raise ReplyError("The request asks for a JSON object.")
    missing = sorted(set(schema.get("required", ())) - written.keys())
    unknown = sorted(written.keys() - schema.get("properties", {}).keys())
    if missing or unknown:
        raise ReplyError(f"The object lacks {missing or 'nothing'} and has {unknown or 'nothing'} too much.")
    return written


def _part(written: Any, request: Request) -> Part:
    if not isinstance(written, dict) or not isinstance(written.get("text"), str) or not written["text"]:
        raise ReplyError(f'A part has a "text": {written!r}')
    cites = tuple(_cited(one, request) for one in written.get("cites", ()))
    return Part(text=written["text"], cites=cites)


def _cited(written: Sequence[int], request: Request) -> Cited:
    if len(written) == 2:  # one block
        written = [written[0], written[1], written[1] + 1]
    result, start, end = written
    if not 0 <= result < len(request.results):
        raise ReplyError(f"There is no search result {result}: the last one is {len(request.results) - 1}.")
    if not 0 <= start < end <= len(request.results[result].blocks):
        blocks = len(request.results[result].blocks)
        raise ReplyError(f"Search result {result} has {blocks} blocks, from 0 to {blocks - 1}: no {start} to {end}.")
    return result, start, end


def _compact(reply: Reply) -> Any:
    if reply.fields is not None:
        return reply.fields
    return [{"text": part.text, **({"cites": part.cites} if part.cites else {})} for part in reply.parts]
