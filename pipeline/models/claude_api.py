"""Send one call to the Messages API through the ``anthropic`` SDK, and stream its reply; and batches of calls.

Importing this module imports the SDK, which is slow: import it where a call is made. The SDK's own retries are off:
they sleep for as long as ``Retry-After`` says, know no deadline, and do not see an overload reported inside a stream.
"""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import anthropic

from pipeline.llm import BadReply, ModelError, ModelUnreachable
from pipeline.models.connection import MAX_CHARACTERS_PER_TOKEN, Connection, attempt, client, note_first_token, timeout
from pipeline.models.pace import Times
from pipeline.models.passages import PassageBlocks, narrow
from pipeline.models.prices import CHARACTERS_PER_TOKEN, Usage
from pipeline.models.provider import Batch, CitedText, Json, ModelReply, PassageSpan, Prompt, ReplyEnd

Message: TypeAlias = anthropic.types.Message | anthropic.types.ParsedMessage[None]

#: the API's address; always passed on, or the SDK would take ANTHROPIC_BASE_URL
DEFAULT_URL = "https://api.anthropic.com"

#: a batch has megabytes of requests and replies
_BATCH_TIMES = Times(first_token_s=300.0, whole_s=300.0)
#: batches, or models, that are listed at once
_LISTED = 1_000
#: why a reply ended; any other reason is a complete reply
_ENDS: dict[str, ReplyEnd] = {"max_tokens": "cut off", "model_context_window_exceeded": "cut off", "refusal": "refused"}


class MessagesApi(Connection):
    """A connection pool to the API, which also takes many requests at once, for half the price."""

    api = "Messages API"
    key_setting, url_setting = "WELLREAD_ANTHROPIC_API_KEY", "WELLREAD_ANTHROPIC_BASE_URL"
    if_unreachable = "the network and WELLREAD_ANTHROPIC_BASE_URL"
    takes_batches = True

    def __init__(self, *, api_key: str, base_url: str) -> None:
        url, http = base_url or DEFAULT_URL, client(anthropic.DefaultHttpxClient)
        super().__init__(url, urlsplit(url).hostname or "?", api_key, http)
        self._client = anthropic.Anthropic(api_key=api_key, base_url=url, max_retries=0, http_client=http)

    def models(self) -> tuple[str, ...]:
        """Return the names of the models that the key may use; asking costs nothing."""
        with self.naming_failures():
            return tuple(str(each.id) for each in self._client.models.list(limit=_LISTED, timeout=timeout()))

    def read(self, message: Json, prompt: Prompt) -> ModelReply:
        """Read the reply to one request of a batch, which was made of ``prompt``."""
        with self.naming_failures():
            return self._plain(anthropic.types.Message.construct(**message), prompt.passages)

    def send_batch(self, requests: Mapping[str, Json]) -> str:
        """Send requests by their names (at most 64 letters, digits, - and _); return the batch's id."""
        named: Any = [{"custom_id": name, "params": request} for name, request in requests.items()]
        with self._of_batches():
            made = self._client.messages.batches.create(requests=named, timeout=timeout())
            if made.type != "message_batch":
                raise BadReply(f"{self._host} took requests, but made no batch of them.")
            return str(made.id)

    def batches(self, since: datetime) -> list[Batch]:
        """Return the batches that were made since then; the API lists the newest first."""
        found: list[Batch] = []
        with self._of_batches():
            for each in self._client.messages.batches.list(limit=_LISTED, timeout=timeout()):
                if each.created_at < since:
                    break
                counts = each.request_counts
                size = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                found.append(
                    Batch(
                        id=each.id,
                        size=size,
                        created_at=each.created_at,
                        has_ended=each.processing_status == "ended",
                        is_ending=each.processing_status == "canceling",
                    )
                )
        return found

    def batch_replies(self, batch_id: str) -> dict[str, Json | None]:
        """Return the replies of a batch that has ended, by the requests' names; None for one that failed or expired."""
        with self._of_batches():
            return {
                each.custom_id: each.result.message.to_dict(mode="json") if each.result.type == "succeeded" else None
                for each in self._client.messages.batches.results(batch_id, timeout=timeout())
            }

    def cancel_batch(self, batch_id: str) -> None:
        """Have the API end a batch; what it has replied to by then is paid for."""
        with self._of_batches():
            self._client.messages.batches.cancel(batch_id, timeout=timeout())

    def delete_batch(self, batch_id: str) -> None:
        """Have the API forget a batch that has ended."""
        with self._of_batches():
            self._client.messages.batches.delete(batch_id, timeout=timeout())

    @contextmanager
    def _of_batches(self) -> Iterator[None]:
        with attempt(_BATCH_TIMES), self.naming_failures():
            yield

    def _reply(self, request: Json, prompt: Prompt) -> Generator[tuple[CitedText, ...], None, ModelReply]:
        most, read, begun, written = MAX_CHARACTERS_PER_TOKEN * request["max_tokens"], 0, Usage(), 0
        try:
            with self.naming_failures(), self._client.messages.stream(**request, timeout=timeout()) as stream:
                for event in stream:
                    if event.type == "message_start":
                        begun = _usage(event.message.usage)
                    elif event.type == "content_block_start":
                        note_first_token()
                    elif event.type == "text":
                        written += len(event.text)
                        if written > most:
                            raise BadReply("The model's reply does not end: it is longer than it was allowed to be.")
                    elif event.type == "content_block_stop" and event.index >= read:
                        read = int(1.05 * event.index) + 1  # each reading takes all blocks anew
                        yield _parts(stream.current_message_snapshot, prompt.passages)
                return self._plain(stream.get_final_message(), prompt.passages)
        except ModelError as error:
            if begun.total:
                error.usage = replace(begun, output_tokens=max(begun.output_tokens, written // CHARACTERS_PER_TOKEN))
            raise

    def _named(self, error: Exception) -> ModelError:
        if isinstance(error, anthropic.APIStatusError):  # inside a stream the status stays 200 and the type tells
            return self._refused(
                error.status_code, str(error.api_message or ""), error.response.headers, error.type or ""
            )
        if isinstance(error, anthropic.APIConnectionError):
            return self._unreachable(error.__cause__ or error)
        return super()._named(error)

    def _plain(self, message: Message, passages: tuple[PassageBlocks, ...]) -> ModelReply:
        details = message.stop_details
        if not message.stop_reason:
            raise ModelUnreachable(f"The reply of {self._host} broke off before its end: ask again.")
        parts = _parts(message, passages)
        return ModelReply(
            parts=parts,
            text="".join(part.text for part in parts),
            end=_ENDS.get(message.stop_reason, "complete"),
            usage=_usage(message.usage),
            refusal=str(details.category or "") if details else "",
        )


def _usage(usage: anthropic.types.Usage) -> Usage:
    return Usage(
        input_tokens=int(usage.input_tokens),
        output_tokens=int(usage.output_tokens),
        cache_read_tokens=int(usage.cache_read_input_tokens or 0),
        cache_write_tokens=int(usage.cache_creation_input_tokens or 0),
    )


def _parts(message: Message, passages: tuple[PassageBlocks, ...]) -> tuple[CitedText, ...]:
    return tuple(
        CitedText(text=str(block.text), citations=tuple(_citations(block, passages)))
        for block in message.content
        if block.type == "text"
    )


def _citations(block: anthropic.types.TextBlock, passages: tuple[PassageBlocks, ...]) -> Iterator[PassageSpan]:
    for citation in block.citations or ():
        if citation.type == "search_result_location" and 0 <= int(citation.search_result_index) < len(passages):
            cited = passages[int(citation.search_result_index)]
            start, end = int(citation.start_block_index), int(citation.end_block_index)
            if span := span_of_blocks(cited, start, end, quote=str(citation.cited_text), claim=block.text):
                yield span


def span_of_blocks(cited: PassageBlocks, start: int, end: int, *, quote: str, claim: str) -> PassageSpan | None:
    """Return what blocks ``start`` to ``end`` (exclusive) say of the claim; None if they are not there.

    White space aside, ``quote`` must be their text.
    """
    if not 0 <= start < end < len(cited.bounds):
        return None
    if "".join("".join(cited.blocks()[start:end]).split()) != "".join(quote.split()):
        return None
    whole = cited.bounds[start], cited.bounds[end]
    first, last = narrow(claim, cited.passage, *whole) or whole
    text = cited.passage.text[first:last]
    return PassageSpan(passage=cited.passage, start=last - len(text.lstrip()), end=first + len(text.rstrip()))
