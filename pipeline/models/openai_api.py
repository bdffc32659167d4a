"""Send one call to a server of the chat completions API, read the stream of its reply, and the citations in it.

Written on the HTTP client that the embedders use, and not on OpenAI's SDK: servers leave out and rename what the SDK
takes for granted. What a server refuses is left out, and remembered for its model.

A reply is JSON with quotes, or prose with [n] markers. A quote must be in the passage that it names, white space
aside; the citation is the whole sentence around it, so that no half of it is taken for its meaning. A marker cites the
sentence of its passage that says most of the claim.
"""

import json
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any
from urllib.parse import urlsplit

import httpx2

from domain import Passage
from pipeline.llm import BadReply, ModelBusy, ModelError, ModelUnreachable
from pipeline.models.connection import (
    DETAIL_CHARACTERS,
    MAX_BYTES,
    MAX_CHARACTERS_PER_TOKEN,
    Connection,
    client,
    note_first_token,
    read_bounded,
    read_whole,
    timeout,
)
from pipeline.models.passages import LONG, PassageBlocks, narrow, sentences_of
from pipeline.models.prices import CHARACTERS_PER_TOKEN, Usage
from pipeline.models.provider import (
    CitedText,
    Json,
    ModelReply,
    OnText,
    PassageSpan,
    Prompt,
    find_object,
    object_at,
    without_thoughts,
)
from text.language import detect_language
from text.sentences import sentence_spans

_REFUSED_FORM = frozenset({400, 422, 501})
#: what servers and models differ in → words of a complaint about it
ADAPTATIONS: Mapping[str, tuple[str, ...]] = {
    "max_tokens": ("max_completion_tokens",),
    "temperature": ("temperature",),
    "stream_options": ("stream_options", "include_usage"),
    "response_format": ("response_format", "json_schema", "json_object", "schema", "grammar", "guided", "structured"),
}
#: of an error's reply
_MAX_ERROR_BYTES = 20_000
#: sentences longer than this are not taken whole
MAX_QUOTE_CHARACTERS = 700
#: citations of one sentence that are read
MAX_CITATIONS = 5
_MARKERS = re.compile(r"\[\d+(?:\s*,\s*\d+)*\](?:\s*\[\d+(?:\s*,\s*\d+)*\])*([.!?…。！？]?)")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_NUMBER = re.compile(r"\d+")
_JSON_BEGINS = re.compile(r"\s*(?:```\w*\s*)?\{")
_SENTENCES = re.compile(r'"sentences"\s*:\s*\[')
_NEXT_OBJECT = re.compile(r"[\s,]*(?=\{)")


class ChatApi(Connection):
    """A connection pool to the server."""

    api = "chat completions API"
    key_setting, url_setting = "WELLREAD_MODEL_API_KEY", "WELLREAD_MODEL_BASE_URL (usually …/v1)"
    if_unreachable = "that the server runs, and WELLREAD_MODEL_BASE_URL"

    def __init__(self, *, base_url: str, api_key: str) -> None:
        key = api_key.strip()
        http = client(headers={"authorization": f"Bearer {key}"} if key else {})
        super().__init__(base_url.rstrip("/"), urlsplit(base_url).netloc.rpartition("@")[2] or base_url, key, http)
        self._adaptations: dict[str, tuple[str, ...]] = {}  # by model, in their order

    def models(self) -> tuple[str, ...]:
        """Return the names of the models that the server has."""
        with self.naming_failures(), self._http.stream("GET", f"{self._url}/models", timeout=timeout()) as response:
            self._raise_for_status(response)
            return tuple(str(item["id"]) for item in _json_object(read_whole(response, MAX_BYTES))["data"])

    def send(self, request: Json, prompt: Prompt, on_text: OnText | None = None) -> ModelReply:
        """Send ``request`` (the body of ``POST /chat/completions``); return the whole reply.

        It is sent in the form that the model is known to take, else that form is found.
        """
        names = self._adaptations.get(request["model"], ())
        sent = reduce(adapted, names, request)
        while True:
            try:
                reply = super().send(sent, prompt, on_text)
            except _RefusedForm as refused:
                name = adaptation_for(sent, refused.complaint)
                if not name:
                    raise BadReply(str(refused)) from refused
                names, sent = (*names, name), adapted(sent, name)
            else:
                self._adaptations[request["model"]] = names
                return reply

    def _reply(self, request: Json, prompt: Prompt) -> Generator[tuple[CitedText, ...], None, ModelReply]:
        most = int(request.get("max_tokens") or request.get("max_completion_tokens") or 0)
        reply = _Reply(max_characters=MAX_CHARACTERS_PER_TOKEN * most)
        url = f"{self._url}/chat/completions"
        try:
            with self.naming_failures(), self._http.stream("POST", url, json=request, timeout=timeout()) as response:
                self._raise_for_status(response)
                for event in _events(response):
                    if event and (error := event.get("error")):
                        said = str(error.get("message", error) if isinstance(error, dict) else error)
                        raise ModelBusy(f"{self._host} failed while it replied{self._detail(said)}: ask again later.")
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

    def _raise_for_status(self, response: httpx2.Response) -> None:
        if response.status_code == 200:
            return
        said = _error_text(response)
        error = self._refused(response.status_code, said, response.headers)
        if response.status_code in _REFUSED_FORM:
            raise _RefusedForm(str(error), self._detail(said))
        raise error

    def _advice(self, code: int, detail: str) -> str:
        if "context" in detail.casefold():
            return "the passages do not fit; raise the server's context length to 16,384 tokens or more."
        if code == 404:
            return (
                f"check {self.url_setting}, and that the server has the model that WELLREAD_SMALL_MODEL and "
                "WELLREAD_LARGE_MODEL name."
            )
        return "check WELLREAD_MODEL_BASE_URL, WELLREAD_SMALL_MODEL and WELLREAD_LARGE_MODEL."


def adapted(request: Json, name: str) -> Json:
    """Return a request in a form that other servers take, or without what is named."""
    kept, value = {each: value for each, value in request.items() if each != name}, request.get(name)
    if name == "max_tokens" and value is not None:  # OpenAI's newer models take the number under another name
        return kept | {"max_completion_tokens": value}
    if name == "response_format" and value and value["type"] == "json_schema":
        return kept | {name: {"type": "json_object"}}  # before any text: the prompt names the form in any case
    return kept


def adaptation_for(request: Json, complaint: str) -> str:
    """Return the name of the adaptation that may make a refused request acceptable; "" for none."""
    complaint = complaint.casefold()
    if "context" in complaint:  # too long, whatever its form
        return ""
    for name, words in ADAPTATIONS.items():
        if any(word in complaint for word in words):
            return name if name in request else ""
    return "response_format" if "response_format" in request else ""  # some servers do not say what they lack


class _RefusedForm(BadReply):
    """The server cannot use the request in this form."""

    def __init__(self, message: str, complaint: str) -> None:
        super().__init__(message)
        self.complaint = complaint


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
            refusal=" ".join(self._refusal.split())[:DETAIL_CHARACTERS] or self._reason if is_refused else "",
        )

    def counted(self, request: Json) -> Usage:
        """Return the tokens as the server counts them, else about."""
        read, written = self._usage.get("prompt_tokens"), self._usage.get("completion_tokens")
        sent = sum(len(message["content"]) for message in request["messages"])
        replied = len(self.text) + self._thoughts
        return Usage(
            input_tokens=max(0, int(read)) if read else sent // CHARACTERS_PER_TOKEN,
            output_tokens=max(0, int(written)) if written else replied // CHARACTERS_PER_TOKEN,
        )


def _events(response: httpx2.Response) -> Iterator[Json | None]:
    """Yield the events of a stream, and None at its end; a server that does not stream sends one."""
    if "event-stream" not in response.headers.get("content-type", ""):
        yield _json_object(read_whole(response, MAX_BYTES))
        return
    rest = b""
    for chunk in read_bounded(response, MAX_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield from _event_in(line)
    try:
        yield from _event_in(rest)  # some servers end without a newline
    except ValueError:  # the connection broke off inside the event
        return


def _event_in(line: bytes) -> Iterator[Json | None]:
    if line.startswith(b"data:"):
        data = line.removeprefix(b"data:").strip()
        yield None if data == b"[DONE]" else _json_object(data)


def _json_object(data: bytes) -> Json:
    value: Any = json.loads(data)
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


def _error_text(response: httpx2.Response) -> str:
    """Return what an error's reply says, if it is short."""
    try:
        body = read_whole(response, _MAX_ERROR_BYTES)
    except BadReply:
        return ""
    try:
        error = json.loads(body)
        error = error.get("error", error)
        return str(error.get("message") or error.get("detail") or error if isinstance(error, dict) else error)
    except (ValueError, AttributeError):
        return body.decode("utf-8", "replace")


def cited_texts(reply: str, passages: Sequence[PassageBlocks]) -> tuple[CitedText, ...]:
    """Return the reply's sentences, also while it is written; citations that do not hold are left out."""
    reply = without_thoughts(reply)
    written = list(_whole_sentences(reply))
    if written or find_object(reply) is not None or _JSON_BEGINS.match(reply):
        return tuple(_quoted(written, passages))
    return tuple(_marked(reply, passages))


def _whole_sentences(text: str) -> Iterator[Json]:
    """Yield the whole objects of the list of sentences in a JSON text that may break off."""
    begun = _SENTENCES.search(text)
    at = begun.end() if begun else len(text)
    while (following := _NEXT_OBJECT.match(text, at)) and (found := object_at(text, following.end())):
        value, at = found
        yield value


def _quoted(written: Sequence[Json], passages: Sequence[PassageBlocks]) -> Iterator[CitedText]:
    for entry in written:
        text = entry.get("text", entry.get("sentence"))
        if not isinstance(text, str) or not text.strip():
            continue
        listed = entry.get("citations", [entry])  # some write the citation next to the sentence
        own = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
        found = [_span(item, passages) for item in own[:MAX_CITATIONS]]
        # a quote that does not hold is no slip: the sentence rests on it
        spans = tuple(span for span in found if span) if all(found) else ()
        # a paragraph each: sentences stay apart whatever they end with
        yield CitedText(text=f"{text.strip()}\n\n", citations=spans)


def _span(item: Json, passages: Sequence[PassageBlocks]) -> PassageSpan | None:
    """Return the sentences that hold the quote, white space aside; None if its passage does not have it."""
    number, quote = item.get("passage"), item.get("quote")
    if isinstance(number, str) and number.strip().isdecimal():
        number = int(number)
    if not isinstance(number, int) or not isinstance(quote, str) or not 1 <= number <= len(passages):
        return None
    passage, pattern = passages[number - 1].passage, r"\s+".join(map(re.escape, quote.split()))
    ends = quote.strip()[:1] + quote.strip()[-1:]
    if ends.isascii() and ends.isalnum():  # letters or digits of a script that has spaces
        pattern = rf"(?<!\w){pattern}(?!\w)"
    found = re.search(pattern, passage.text) if pattern else None
    spans = sentences_of(passage, 0, len(passage.text)) if found else []
    held = [(start, end) for start, end in spans if found and start < found.end() and found.start() < end]
    if not found or not held:
        return None
    start, end = held[0][0], held[-1][1]
    if end - start > MAX_QUOTE_CHARACTERS:
        start, end = found.span()
    return PassageSpan(passage=passage, start=start, end=end)


def _marked(reply: str, passages: Sequence[PassageBlocks]) -> Iterator[CitedText]:
    """Yield prose; a marker cites for the sentence before it alone."""
    code = [found.span() for found in _CODE.finditer(reply)]
    at = 0
    for match in _MARKERS.finditer(reply):
        if any(start < match.start() < end for start, end in code):
            continue
        text = reply[at : match.start()].rstrip() + match[1]
        at = match.end()
        spans = sentence_spans(text)
        if not spans:
            continue
        start = spans[-1][0]
        yield CitedText(text=text[:start])
        claim = text[start:]
        numbers = dict.fromkeys(int(number) for number in _NUMBER.findall(match[0]) if len(number) < 4)
        cited = [passages[number - 1].passage for number in numbers if 1 <= number <= len(passages)]
        found = ((passage, _says(claim, passage)) for passage in cited[:MAX_CITATIONS])
        yield CitedText(
            text=f"{claim} ",
            citations=tuple(PassageSpan(passage=own, start=span[0], end=span[1]) for own, span in found if span),
        )
    yield CitedText(text=reply[at:])


def _says(claim: str, passage: Passage) -> tuple[int, int] | None:
    """Return what a passage says of a claim: all of a short one in another language; None for nothing."""
    whole = 0, len(passage.text)
    is_foreign = detect_language(claim) not in (passage.lang, "und")
    return narrow(claim, passage, *whole) or (whole if is_foreign and len(passage.text) <= LONG else None)
