"""What a model is asked: a request without what varies between two runs, its kind, its hash, and as text to read.

Only what somebody who writes the reply reads counts: instructions, search results, question, and the form of a JSON
reply. The model's name, limits and marks for caching do not.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

Json = dict[str, Any]
Kind = Literal["variants", "rewrite", "verdict", "answer", "check"]
KINDS: tuple[Kind, ...] = get_args(Kind)

#: a property of the JSON that is asked for tells what for; without a schema an answer is asked for
_ASKED_FOR: Mapping[str, Kind] = {
    "variants": "variants",
    "sufficient": "verdict",
    "question": "rewrite",
}
#: stands for today's date
TODAY = "TODAY"
_WEEKDAY = r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?"
_TIME = r"(?:(?:T| | at )\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?Z| ?UTC|[+-]\d\d:?\d\d)?)?"
#: tokens that each block of text costs beside its words
_TOKENS_PER_BLOCK = 4
_BYTES_PER_TOKEN = 4


@dataclass(frozen=True, kw_only=True)
class Result:
    """A search result as the model reads it."""

    source: str
    title: str
    blocks: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request as it is the same in every run."""

    system: tuple[str, ...]
    results: tuple[Result, ...]
    texts: tuple[str, ...]  #: the question comes last
    schema: Json | None = field(default=None)  #: of the JSON to reply with

    @property
    def kind(self) -> Kind:
        """What is asked for."""
        if self.schema is None:
            return "answer"
        names = self.schema.get("properties", {})
        return next((kind for name, kind in _ASKED_FOR.items() if name in names), "check")

    @property
    def hash(self) -> str:
        """The name under which its reply is stored."""
        read = [self.system, [[one.source, one.title, one.blocks] for one in self.results], self.texts, self.schema]
        text = json.dumps(read, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]

    @property
    def tokens(self) -> int:
        """About how many tokens it has: one for four bytes of what is read, and some for each block."""
        pieces = [*self.system, *self.texts]
        pieces += [piece for one in self.results for piece in (one.source, one.title, *one.blocks)]
        pieces += [json.dumps(self.schema)] if self.schema else []
        return tokens_of("".join(pieces)) + _TOKENS_PER_BLOCK * len(pieces)

    def readable(self) -> str:
        """Return the request as a text, the blocks of each search result numbered from 0."""
        parts = ["INSTRUCTIONS", *self.system]
        for number, one in enumerate(self.results):
            parts.append(f"\nSEARCH RESULT {number}\nsource: {one.source}\ntitle: {one.title}")
            parts += [f"[{number}.{index}] {block.strip()}" for index, block in enumerate(one.blocks)]
        parts += ["\nQUESTION", *self.texts]
        if self.schema:
            parts += ["\nREPLY WITH JSON OF THIS SCHEMA", json.dumps(self.schema, indent=1, ensure_ascii=False)]
        return "\n".join(parts) + "\n"


def tokens_of(text: str) -> int:
    """Return about how many tokens a text has."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


def request_of(body: Json, addresses: Mapping[str, str], today: date) -> Request:
    """Return the body of ``POST /v1/messages`` without what varies: today's date, and where the sites are served.

    ``addresses`` are those of the sites, by name: each becomes ``http://NAME.example/``. A date within the text of a
    page stays as it is.
    """
    moved, dated = _mover(addresses), _dater(today)

    def told(text: str) -> str:
        return dated(moved(text))

    content = [block for turn in body["messages"] for block in turn["content"]]
    return Request(
        system=tuple(told(block["text"]) for block in body.get("system", ())),
        results=tuple(
            Result(
                source=moved(block["source"]),
                title=told(block["title"]),
                blocks=tuple(moved(inner["text"]) for inner in block["content"]),
            )
            for block in content
            if block["type"] == "search_result"
        ),
        texts=tuple(told(block["text"]) for block in content if block["type"] == "text"),
        schema=body.get("output_config", {}).get("format", {}).get("schema"),
    )


def site_address(name: str) -> str:
    """Return the address of a site in a stored request."""
    return f"http://{name}.example/"


def _mover(addresses: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that puts a site's name for the host and port that serve it."""
    hosts = {urlsplit(address).netloc: urlsplit(site_address(name)).netloc for name, address in addresses.items()}
    if not hosts:
        return lambda text: text
    served = re.compile(rf"(?:{'|'.join(map(re.escape, hosts))})(?!\d)")
    return lambda text: served.sub(lambda found: hosts[found[0]], text)


def _dater(today: date) -> Callable[[str], str]:
    """Return a function that puts TODAY for today's date and, for a run over midnight, the day before and after."""
    days = [today + timedelta(days=step) for step in (-1, 0, 1)]
    forms = [form for day in days for form in _written(day)]
    dates = re.compile(rf"\b{_WEEKDAY}(?:{'|'.join(forms)}){_TIME}(?!\d)")
    return lambda text: dates.sub(TODAY, text)


def _written(day: date) -> tuple[str, ...]:
    month = f"{day:%B}"
    return (
        f"{day:%Y-%m-%d}",
        rf"0?{day.day} (?:{month}|{month[:3]}\.?),? {day.year}",
        rf"(?:{month}|{month[:3]}\.?) 0?{day.day},? {day.year}",
        rf"{day:%d}\.{day:%m}\.{day.year}",
    )
