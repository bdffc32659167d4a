"""Send one call to the Messages API through the ``anthropic`` SDK: stream it, and name its failures.

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
import httpx2

from domain.errors import masked
from pipeline.llm import ApiKeyRejected, BadReply, ModelBusy, ModelError, ModelUnreachable
from pipeline.models.claude.request import span_of_blocks
from pipeline.models.deadline import (
    LIMIT_STATUSES,
    LIMITS,
    MAX_CHARACTERS_PER_TOKEN,
    attempt,
    bound_reads,
    note_first_token,
    retry_after_s,
    timeout,
    what_was_late,
)
from pipeline.models.pace import Times
from pipeline.models.passages import PassageBlocks
from pipeline.models.prices import CHARACTERS_PER_TOKEN, Usage
from pipeline.models.provider import (
    Batch,
    CitedText,
    Json,
    ModelReply,
    OnText,
    PassageSpan,
    Prompt,
    ReplyEnd,
    read_to_end,
)

ParsedMessage: TypeAlias = anthropic.types.ParsedMessage[None]

#: the API's address; always passed on, or the SDK would take ANTHROPIC_BASE_URL
DEFAULT_URL = "https://api.anthropic.com"

#: a batch has megabytes of requests and replies
_BATCH_TIMES = Times(first_token_s=300.0, whole_s=300.0)
#: batches, or models, that are listed at once
_LISTED = 1_000

_KEY_ERRORS = frozenset({"authentication_error", "permission_error", "billing_error"})
_LIMIT_ERRORS = frozenset({"rate_limit_error", "overloaded_error"})
_BUSY_ERRORS = _LIMIT_ERRORS | {"api_error", "timeout_error"}


#: why a reply ended; any other reason is a complete reply
_ENDS: dict[str, ReplyEnd] = {
    "max_tokens": "cut off",
    "model_context_window_exceeded": "cut off",
    "refusal": "refused",
}


class MessagesApi:
    """A connection pool to the API; calls may be made from any thread."""

    def __init__(self, *, api_key: str, base_url: str) -> None:
        self._url = base_url or DEFAULT_URL
        self._host = urlsplit(self._url).hostname or "?"
        self._api_key = api_key
        # the Messages API never redirects; a server that does would get the question and the passages
        self._http = anthropic.DefaultHttpxClient(
            follow_redirects=False, limits=LIMITS, event_hooks={"request": [bound_reads]}
        )
        self._client = anthropic.Anthropic(api_key=api_key, base_url=self._url, max_retries=0, http_client=self._http)

    def __repr__(self) -> str:
        return f"Api({self._host})"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def warm(self) -> None:
        """Open a connection; whatever the server replies to a request without a key will do."""
        try:
            self._http.get(self._url, timeout=timeout())
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise self._unreachable(error) from error

    def models(self) -> tuple[str, ...]:
        """Return the names of the models that the key may use; asking costs nothing."""
        with self._naming_failures():
            return tuple(str(each.id) for each in self._client.models.list(limit=_LISTED, timeout=timeout()))

    def send(self, request: Json, prompt: Prompt, on_text: OnText | None = None) -> ModelReply:
        """Send ``request`` (the body of ``POST /v1/messages``); return the whole reply."""
        return read_to_end(self._reply(request, prompt.passages), on_text)

    def read(self, message: Json, prompt: Prompt) -> ModelReply:
        """Read the reply to one request of a batch."""
        with self._naming_failures():
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
        with attempt(_BATCH_TIMES), self._naming_failures():
            yield

    def _reply(
        self, request: Json, passages: tuple[PassageBlocks, ...]
    ) -> Generator[tuple[CitedText, ...], None, ModelReply]:
        """Yield the text as it grows, and return the whole reply."""
        most, read, begun, written = MAX_CHARACTERS_PER_TOKEN * request["max_tokens"], 0, Usage(), 0
        try:
            with self._naming_failures(), self._client.messages.stream(**request, timeout=timeout()) as stream:
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
                        yield _parts(stream.current_message_snapshot, passages)
                return self._plain(stream.get_final_message(), passages)
        except ModelError as error:
            if begun.total:
                error.usage = replace(begun, output_tokens=max(begun.output_tokens, written // CHARACTERS_PER_TOKEN))
            raise

    @contextmanager
    def _naming_failures(self) -> Iterator[None]:
        try:
            yield
        except ModelError:
            raise
        except anthropic.APIStatusError as error:
            raise self._named(error) from error
        except (anthropic.APIConnectionError, httpx2.TransportError) as error:
            raise self._unreachable(error) from error
        except Exception as error:
            # the SDK does not validate its values: a malformed reply can raise anything
            raise BadReply(
                f"{self._host} sent no valid reply of the Messages API ({type(error).__name__}): "
                "check WELLREAD_ANTHROPIC_BASE_URL."
            ) from error

    def _plain(
        self, message: anthropic.types.Message | ParsedMessage, passages: tuple[PassageBlocks, ...]
    ) -> ModelReply:
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

    def _named(self, error: anthropic.APIStatusError) -> ModelError:
        """Return the failure that the API reports; inside a stream the status stays 200 and the type tells."""
        status = f"{error.status_code} {error.type or ''}".strip() + self._detail(error)
        if error.type in _KEY_ERRORS or error.status_code in {401, 402, 403}:
            return ApiKeyRejected(f"{self._host} does not accept the key ({status}): check WELLREAD_ANTHROPIC_API_KEY.")
        if error.type in _BUSY_ERRORS or error.status_code in {408, 409, 429} or error.status_code >= 500:
            return ModelBusy(
                f"{self._host} is busy ({status}): ask again later.",
                retry_after_s=retry_after_s(error.response.headers),
                is_limit=error.type in _LIMIT_ERRORS or error.status_code in LIMIT_STATUSES,
            )
        return BadReply(
            f"{self._host} cannot use the request ({status}): check WELLREAD_SMALL_MODEL, WELLREAD_LARGE_MODEL "
            "and WELLREAD_ANTHROPIC_BASE_URL."
        )

    def _detail(self, error: anthropic.APIStatusError) -> str:
        # a proxy's error page may repeat the request's headers
        text = " ".join(masked(str(error.api_message or ""), self._api_key).split())
        return f": {text[:200]}" if text and not text.startswith("<") else ""

    def _unreachable(self, error: Exception) -> ModelUnreachable:
        timed_out = isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException)
        what = what_was_late() if timed_out else "cannot be reached"
        if not timed_out and not isinstance(error, anthropic.APIConnectionError):
            what = "broke off the connection"
        return ModelUnreachable(f"{self._host} {what}: check the network and WELLREAD_ANTHROPIC_BASE_URL.")


def _usage(usage: anthropic.types.Usage) -> Usage:
    return Usage(
        input_tokens=int(usage.input_tokens),
        output_tokens=int(usage.output_tokens),
        cache_read_tokens=int(usage.cache_read_input_tokens or 0),
        cache_write_tokens=int(usage.cache_creation_input_tokens or 0),
    )


def _parts(
    message: anthropic.types.Message | ParsedMessage, passages: tuple[PassageBlocks, ...]
) -> tuple[CitedText, ...]:
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
