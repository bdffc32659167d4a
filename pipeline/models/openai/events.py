"""Read a server's replies from its bytes: the events of a stream, a whole JSON object, what an error says."""

import json
from collections.abc import Iterator
from typing import Any

import httpx2

from pipeline.llm import BadReply
from pipeline.models.provider import Json

#: of a whole reply with all its frames, and of an error's
MAX_BYTES, MAX_ERROR_BYTES = 8_000_000, 20_000


def events(response: httpx2.Response) -> Iterator[Json | None]:
    """Yield the events of a stream, and None at its end; a server that does not stream sends one."""
    if "event-stream" not in response.headers.get("content-type", ""):
        yield whole_object(response)
        return
    rest = b""
    for chunk in _bounded(response, MAX_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield from _event_in(line)
    try:
        yield from _event_in(rest)  # some servers end without a newline
    except ValueError:  # the connection broke off inside the event
        return


def whole_object(response: httpx2.Response) -> Json:
    """Return the JSON object that is the whole reply; raises BadReply, ValueError or TypeError."""
    return _json_object(b"".join(_bounded(response, MAX_BYTES)))


def error_text(response: httpx2.Response) -> str:
    """Return what an error's reply says, as far as it is short and no page of HTML."""
    try:
        body = b"".join(_bounded(response, MAX_ERROR_BYTES))
    except BadReply:
        return ""
    try:
        error = json.loads(body)
        error = error.get("error", error)
        return str(error.get("message") or error.get("detail") or error if isinstance(error, dict) else error)
    except (ValueError, AttributeError):
        return "" if body.lstrip().startswith(b"<") else body.decode("utf-8", "replace")


def _event_in(line: bytes) -> Iterator[Json | None]:
    if line.startswith(b"data:"):
        data = line.removeprefix(b"data:").strip()
        yield None if data == b"[DONE]" else _json_object(data)


def _json_object(data: bytes) -> Json:
    value: Any = json.loads(data)
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


def _bounded(response: httpx2.Response, most: int) -> Iterator[bytes]:
    read = 0
    for chunk in response.iter_bytes():
        read += len(chunk)
        if read > most:
            raise BadReply(f"The model's reply is longer than {most:,} bytes.")
        yield chunk
