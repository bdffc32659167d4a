"""Send one call to the Messages API through the ``anthropic`` SDK: stream, time and retry it, and name its failures.

Importing this module imports the SDK, which is slow: import it where a call is made. The SDK's own retries are off:
they sleep for as long as ``Retry-After`` says, know no deadline, and do not see an overload reported inside a stream.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import anthropic
import httpx2

from pipeline.claude.answer import BlockCitation, CitedText
from pipeline.claude.prices import Usage
from pipeline.llm import ApiKeyRejected, BadReply, ModelBusy, ModelError, ModelUnreachable

#: the API's address; always passed on, or the SDK would take ANTHROPIC_BASE_URL
DEFAULT_URL = "https://api.anthropic.com"
CONNECT_S = 5.0
#: a stream carries pings, so one silent for this long is dead
SILENT_S = 30.0
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 8.0

#: receives the reply so far, whenever a part is complete
OnText = Callable[[Sequence[CitedText]], None]

#: the deadline of this thread's call on the monotonic clock; the SDK has no place for it
_DEADLINE: ContextVar[float] = ContextVar("deadline", default=float("inf"))

_KEY_ERRORS = frozenset({"authentication_error", "permission_error", "billing_error"})
_BUSY_ERRORS = frozenset({"rate_limit_error", "overloaded_error", "api_error", "timeout_error"})


@dataclass(frozen=True, kw_only=True)
class ModelReply:
    """The API's reply in plain values."""

    parts: tuple[CitedText, ...]
    stop_reason: str
    usage: Usage
    refusal: str = ""  #: the category of a refusal, where one is named

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(part.text for part in self.parts)


class MessagesApi:
    """A connection pool to the API; calls may be made from any thread."""

    def __init__(self, *, api_key: str, base_url: str, timeout_s: float, max_retries: int) -> None:
        self._host = urlsplit(base_url or DEFAULT_URL).hostname or "?"
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._client = anthropic.Anthropic(
            api_key=api_key,
            base_url=base_url or DEFAULT_URL,
            max_retries=0,
            # the Messages API never redirects; a server that does would get the question and the passages
            http_client=anthropic.DefaultHttpxClient(
                follow_redirects=False, event_hooks={"response": [_stop_at_deadline]}
            ),
        )

    def __repr__(self) -> str:
        return f"Api({self._host})"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def send(self, request: Mapping[str, Any], on_text: OnText | None = None) -> ModelReply:
        """Send ``request`` (the body of ``POST /v1/messages``); return the whole reply within ``timeout_s`` seconds.

        Retries a busy API and a broken connection as long as the wait ends before the deadline. A server that sends
        slowly and then falls silent can exceed the deadline, by ``SILENT_S`` at most. ``on_text`` follows each attempt
        from its beginning.
        """
        deadline = time.monotonic() + self._timeout_s
        for attempt in range(self._max_retries + 1):
            try:
                return self._send_once(request, deadline, on_text)
            except (ModelBusy, ModelUnreachable) as error:
                wait_s = _wait_s(attempt, error)
                if attempt == self._max_retries or time.monotonic() + wait_s >= deadline:
                    raise
                time.sleep(wait_s)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _send_once(self, request: Mapping[str, Any], deadline: float, on_text: OnText | None) -> ModelReply:
        left_s = max(0.001, deadline - time.monotonic())
        timeout = anthropic.Timeout(left_s, connect=min(CONNECT_S, left_s), read=min(SILENT_S, left_s))
        token = _DEADLINE.set(deadline)
        try:
            with self._client.messages.stream(**request, timeout=timeout) as stream:
                for event in stream:
                    if on_text and event.type == "content_block_stop":
                        on_text(_parts(stream.current_message_snapshot))
                return self._complete(_plain(stream.get_final_message()))
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
        finally:
            _DEADLINE.reset(token)

    def _complete(self, reply: ModelReply) -> ModelReply:
        if not reply.stop_reason:
            raise ModelUnreachable(f"The reply of {self._host} broke off before its end: ask again.")
        return reply

    def _named(self, error: anthropic.APIStatusError) -> ModelError:
        """Return the failure that the API reports; inside a stream the status stays 200 and the type tells."""
        status = f"{error.status_code} {error.type or ''}".strip() + self._detail(error)
        if error.type in _KEY_ERRORS or error.status_code in {401, 402, 403}:
            return ApiKeyRejected(f"{self._host} does not accept the key ({status}): check WELLREAD_ANTHROPIC_API_KEY.")
        if error.type in _BUSY_ERRORS or error.status_code in {408, 409, 429} or error.status_code >= 500:
            return ModelBusy(f"{self._host} is busy ({status}): ask again later.", retry_after_s=_retry_after_s(error))
        return BadReply(
            f"{self._host} cannot use the request ({status}): check WELLREAD_SMALL_MODEL, WELLREAD_LARGE_MODEL "
            "and WELLREAD_ANTHROPIC_BASE_URL."
        )

    def _detail(self, error: anthropic.APIStatusError) -> str:
        # a proxy's error page may repeat the request's headers
        text = " ".join(str(error.api_message or "").replace(self._api_key, "[key]").split())
        return f": {text[:200]}" if text else ""

    def _unreachable(self, error: Exception) -> ModelUnreachable:
        timed_out = isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException)
        what = f"gave no complete reply within {self._timeout_s:g} s" if timed_out else "cannot be reached"
        if not timed_out and not isinstance(error, anthropic.APIConnectionError):
            what = "broke off the connection"
        return ModelUnreachable(f"{self._host} {what}: check the network and WELLREAD_ANTHROPIC_BASE_URL.")


def _plain(message: anthropic.types.ParsedMessage[None]) -> ModelReply:
    usage, details = message.usage, message.stop_details
    return ModelReply(
        parts=_parts(message),
        stop_reason=message.stop_reason or "",
        usage=Usage(
            input_tokens=int(usage.input_tokens),
            output_tokens=int(usage.output_tokens),
            cache_read_tokens=int(usage.cache_read_input_tokens or 0),
            cache_write_tokens=int(usage.cache_creation_input_tokens or 0),
        ),
        refusal=str(details.category or "") if details else "",
    )


def _parts(message: anthropic.types.ParsedMessage[None]) -> tuple[CitedText, ...]:
    return tuple(
        CitedText(text=str(block.text), citations=tuple(_citations(block)))
        for block in message.content
        if block.type == "text"
    )


def _citations(block: anthropic.types.TextBlock) -> Iterator[BlockCitation]:
    for citation in block.citations or ():
        if citation.type == "search_result_location":
            yield BlockCitation(
                result=int(citation.search_result_index),
                start=int(citation.start_block_index),
                end=int(citation.end_block_index),
                text=str(citation.cited_text),
            )


def _wait_s(attempt: int, error: ModelError) -> float:
    """Return the seconds before the next attempt: as the API asks, else doubling, less a random part."""
    if isinstance(error, ModelBusy) and error.retry_after_s is not None:
        return error.retry_after_s
    return min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0**attempt) * random.uniform(0.75, 1.0)  # noqa: S311 (no secret)


def _retry_after_s(error: anthropic.APIStatusError) -> float | None:
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


class _UntilDeadline(httpx2.SyncByteStream):
    """A response's bytes until the deadline; the client's own timeouts limit only the gaps between them."""

    def __init__(self, stream: httpx2.SyncByteStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the deadline of the call has passed")
            yield chunk

    def close(self) -> None:
        self._stream.close()


def _stop_at_deadline(response: httpx2.Response) -> None:
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _UntilDeadline(response.stream, _DEADLINE.get())
