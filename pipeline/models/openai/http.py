"""Send one call to a server that speaks the chat completions API: read the stream of its reply, and name its failures.

Written on the HTTP client that the embedders use, and not on OpenAI's SDK: servers leave out and rename what the SDK
takes for granted. What a server refuses is left out, and remembered for its model.
"""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx2

from domain.errors import masked
from pipeline.llm import ApiKeyRejected, BadReply, ModelBusy, ModelError, ModelUnreachable
from pipeline.models.deadline import (
    LIMIT_STATUSES,
    LIMITS,
    MAX_CHARACTERS_PER_TOKEN,
    bound_reads,
    note_first_token,
    retry_after_s,
    timeout,
    what_was_late,
)
from pipeline.models.openai.citations import cited_texts
from pipeline.models.openai.request import ADAPTATIONS, adaptation_for
from pipeline.models.prices import CHARACTERS_PER_TOKEN, Usage
from pipeline.models.provider import CitedText, Json, ModelReply, OnText, Prompt, read_to_end

_BUSY = frozenset({408, 409, 425, 429})
_REFUSED_FORM = frozenset({400, 422, 501})
#: of what a server says of itself
_DETAIL_CHARACTERS = 200
#: of a whole reply with all its frames, and of an error's
_MAX_BYTES, _MAX_ERROR_BYTES = 8_000_000, 20_000


class ChatApi:
    """A connection pool to the server; calls may be made from any thread."""

    def __init__(self, *, base_url: str, api_key: str) -> None:
        self._host = urlsplit(base_url).netloc.rpartition("@")[2] or base_url
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key.strip()
        self._adaptations: dict[str, tuple[str, ...]] = {}  # by model, in their order
        # no redirects: another server would get the question and the passages
        self._client = httpx2.Client(
            headers={"authorization": f"Bearer {self._api_key}"} if self._api_key else {},
            follow_redirects=False,
            limits=LIMITS,
            event_hooks={"request": [bound_reads]},
        )

    def __repr__(self) -> str:
        return f"ChatApi({self._host})"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def warm(self) -> None:
        """Open a connection; what the server replies does not matter."""
        try:
            self.models()
        except (BadReply, ApiKeyRejected, ModelBusy):
            return

    def models(self) -> tuple[str, ...]:
        """Return the names of the models that the server has."""
        with (
            self._naming_failures(),
            self._client.stream("GET", f"{self._base_url}/models", timeout=timeout()) as response,
        ):
            if response.status_code != 200:
                raise self._named(response)
            listed = _whole_object(response)["data"]
            return tuple(str(item["id"]) for item in listed)

    def send(self, request: Json, prompt: Prompt, on_text: OnText | None = None) -> ModelReply:
        """Send ``request`` (the body of ``POST /chat/completions``); return the whole reply.

        It is sent in the form that the model is known to take, else that form is found.
        """
        names = self._adaptations.get(request["model"], ())
        adapted = request
        for name in names:
            adapted = ADAPTATIONS[name](adapted)
        while True:
            try:
                reply = read_to_end(self._reply(adapted, prompt), on_text)
            except _RefusedForm as refused:
                name = adaptation_for(adapted, refused.complaint)
                if not name:
                    raise refused.error from refused
                names, adapted = (*names, name), ADAPTATIONS[name](adapted)
            else:
                self._adaptations[request["model"]] = names
                return reply

    def _reply(self, request: Json, prompt: Prompt) -> Generator[tuple[CitedText, ...], None, ModelReply]:
        """Yield the text as it grows, and return the whole reply."""
        reply = _Reply(max_characters=MAX_CHARACTERS_PER_TOKEN * _max_tokens(request))
        url = f"{self._base_url}/chat/completions"
        try:
            with (
                self._naming_failures(),
                self._client.stream("POST", url, json=request, timeout=timeout()) as response,
            ):
                if response.status_code != 200:
                    raise self._named(response)
                for event in _events(response):
                    is_complete = reply.add(event)
                    if reply.has_begun:
                        note_first_token()
                    if is_complete and prompt.schema is None:
                        yield cited_texts(reply.text, prompt.passages)
                return reply.whole(request, prompt)
        except ModelError as error:
            if reply.has_begun:
                error.usage = reply.counted(request)
            raise

    @contextmanager
    def _naming_failures(self) -> Iterator[None]:
        try:
            yield
        except (ModelError, _RefusedForm):
            raise
        except _Reported as error:
            raise self._reported(error.what) from error
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise self._unreachable(error) from error
        except Exception as error:
            # any server may be there: what it sends can raise anything
            raise BadReply(
                f"{self._host} sent no valid reply of the chat completions API ({type(error).__name__}): "
                "check WELLREAD_MODEL_BASE_URL (usually …/v1)."
            ) from error

    def _named(self, response: httpx2.Response) -> Exception:
        """Return the failure that the server reports by its status."""
        code, detail = response.status_code, self._detail(_error_text(response))
        if code in {401, 402, 403}:
            return ApiKeyRejected(
                f"{self._host} does not accept the key ({code}{detail}): check WELLREAD_MODEL_API_KEY."
            )
        if code in _BUSY or (code >= 500 and code != 501):
            return ModelBusy(
                f"{self._host} is busy ({code}{detail}): ask again later.",
                retry_after_s=retry_after_s(response.headers),
                is_limit=code in LIMIT_STATUSES,
            )
        error = BadReply(f"{self._host} cannot use the request ({code}{detail}): {_advice(code, detail)}")
        return _RefusedForm(detail, error) if code in _REFUSED_FORM else error

    def _reported(self, what: str) -> ModelError:
        """Return the failure that the server reports inside a stream."""
        return ModelBusy(f"{self._host} failed while it replied{self._detail(what)}: ask again later.")

    def _detail(self, text: str) -> str:
        # a proxy's error page may repeat the request's headers
        shown = " ".join(masked(text, self._api_key).split())
        return f": {shown[:_DETAIL_CHARACTERS]}" if shown else ""

    def _unreachable(self, error: Exception) -> ModelUnreachable:
        what = "cannot be reached"
        if isinstance(error, httpx2.TimeoutException) and not isinstance(error, httpx2.ConnectTimeout):
            what = what_was_late()
        elif isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError):
            what = "broke off the connection"
        return ModelUnreachable(f"{self._host} {what}: check that the server runs, and WELLREAD_MODEL_BASE_URL.")


class _RefusedForm(Exception):
    """The server cannot use the request in this form."""

    def __init__(self, complaint: str, error: BadReply) -> None:
        super().__init__(complaint)
        self.complaint = complaint
        self.error = error


def _advice(code: int, detail: str) -> str:
    if "context" in detail.casefold():
        return "the passages do not fit; raise the server's context length to 16,384 tokens or more."
    if code == 404:
        return (
            "check WELLREAD_MODEL_BASE_URL (usually …/v1), and that the server has the model that "
            "WELLREAD_SMALL_MODEL and WELLREAD_LARGE_MODEL name."
        )
    return "check WELLREAD_MODEL_BASE_URL, WELLREAD_SMALL_MODEL and WELLREAD_LARGE_MODEL."


def _max_tokens(request: Json) -> int:
    return int(request.get("max_tokens") or request.get("max_completion_tokens") or 0)


class _Reported(Exception):
    """The server reports an error inside a stream."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(kw_only=True)
class _Reply:
    """The reply as it grows."""

    max_characters: int
    text: str = ""
    _thoughts: int = 0  # characters
    _refusal: str = ""
    _reason: str = ""
    _usage: Json = field(default_factory=dict)
    _ended: bool = False

    @property
    def has_begun(self) -> bool:
        """Whether anything was written or thought."""
        return bool(self.text or self._thoughts or self._refusal)

    def add(self, event: Json | None) -> bool:
        """Add one event (None: the end of the stream); return whether a sentence with its citation may be complete."""
        if event is None:
            self._ended = True
            return False
        if error := event.get("error"):
            raise _Reported(str(error.get("message", error) if isinstance(error, dict) else error))
        self._usage = event.get("usage") or self._usage
        choices = event.get("choices") or []
        if not choices:
            return False
        said: Json = choices[0].get("delta") or choices[0].get("message") or {}
        self._reason = choices[0].get("finish_reason") or self._reason
        self._refusal += said.get("refusal") or ""
        self._thoughts += len(said.get("reasoning_content") or said.get("reasoning") or "")
        grown = str(said.get("content") or "")
        self.text += grown
        if len(self.text) + self._thoughts > self.max_characters:
            raise BadReply("The model's reply does not end: it is longer than it was allowed to be.")
        return "}" in grown or "]" in grown

    def whole(self, request: Json, prompt: Prompt) -> ModelReply:
        """Return the reply; raises ModelUnreachable when it broke off."""
        if not self._reason and not self._ended:
            raise ModelUnreachable("The reply broke off before its end: ask again.")
        is_refused = bool(self._refusal) or self._reason == "content_filter"
        return ModelReply(
            parts=() if prompt.schema else cited_texts(self.text, prompt.passages),
            text=self.text,
            end="refused" if is_refused else "cut off" if self._reason == "length" else "complete",
            usage=self.counted(request),
            refusal=" ".join(self._refusal.split())[:_DETAIL_CHARACTERS] or self._reason if is_refused else "",
        )

    def counted(self, request: Json) -> Usage:
        """Return the tokens as the server counts them, else about."""
        read, written = self._usage.get("prompt_tokens"), self._usage.get("completion_tokens")
        sent = sum(len(message["content"]) for message in request["messages"])
        return Usage(
            input_tokens=max(0, int(read)) if read else sent // CHARACTERS_PER_TOKEN,
            output_tokens=max(0, int(written))
            if written
            else (len(self.text) + self._thoughts) // CHARACTERS_PER_TOKEN,
        )


def _events(response: httpx2.Response) -> Iterator[Json | None]:
    """Yield the events of a stream, and None at its end; a server that does not stream sends one."""
    if "event-stream" not in response.headers.get("content-type", ""):
        yield _whole_object(response)
        return
    rest = b""
    for chunk in _bounded(response, _MAX_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield from _event_in(line)
    try:
        yield from _event_in(rest)  # some servers end without a newline
    except ValueError:  # the connection broke off inside the event
        return


def _whole_object(response: httpx2.Response) -> Json:
    """Return the JSON object that is the whole reply; raises BadReply, ValueError or TypeError."""
    return _json_object(b"".join(_bounded(response, _MAX_BYTES)))


def _error_text(response: httpx2.Response) -> str:
    """Return what an error's reply says, as far as it is short and no page of HTML."""
    try:
        body = b"".join(_bounded(response, _MAX_ERROR_BYTES))
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
