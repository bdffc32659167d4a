"""Declare what a provider of language models is asked and replies, in plain values; the providers are beneath."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol, runtime_checkable

from domain import Passage
from pipeline.models.passages import PassageBlocks
from pipeline.models.prices import Price, Usage

Json = dict[str, Any]
#: complete, cut off at the token limit, or declined
ReplyEnd = Literal["complete", "cut off", "refused"]


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What a model is asked."""

    instructions: str  #: the part of the system prompt that is the same for every question
    notes: tuple[str, ...] = ()  #: the rest of it
    passages: tuple[PassageBlocks, ...] = ()
    texts: tuple[str, ...]  #: after the passages; the question comes last
    reply_room: float = 1.0  #: times the usual tokens that a reply may have
    schema: Json | None = None  #: of the JSON object to reply with; None: sentences that cite the passages


@dataclass(frozen=True, kw_only=True)
class PassageSpan:
    """The quote ``passage.text[start:end]``."""

    passage: Passage
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class CitedText:
    """A part of the reply with the model's citations for it: those that name a passage and quote its very text."""

    text: str
    citations: tuple[PassageSpan, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ModelReply:
    """The reply in plain values."""

    parts: tuple[CitedText, ...]
    end: ReplyEnd
    usage: Usage
    text: str  #: as the model wrote it
    refusal: str = ""  #: why it declined, where it says so


#: receives the reply so far, whenever a part is complete
OnText = Callable[[Sequence[CitedText]], None]


def read_to_end(growing: Generator[Sequence[CitedText], None, ModelReply], on_text: OnText | None) -> ModelReply:
    """Return the whole of a reply that yields itself as it grows.

    ``on_text`` is called outside of the generator: what it raises is no failure of the model.
    """
    with closing(growing):
        while True:
            try:
                so_far = next(growing)
            except StopIteration as end:
                whole: ModelReply = end.value
                return whole
            if on_text:
                on_text(so_far)


class Connection(Protocol):
    """A connection pool to the API; calls may be made from any thread. Their failures are each a ``ModelError``."""

    def send(self, request: Json, prompt: Prompt, on_text: OnText | None = None) -> ModelReply:
        """Send ``request``, which was made of ``prompt``, once; return the whole reply."""

    def warm(self) -> None:
        """Load what calls need and open a connection, without asking anything."""

    def close(self) -> None:
        """Close the connections."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """A batch at the service."""

    id: str
    size: int  #: requests in it
    created_at: datetime
    has_ended: bool
    is_ending: bool = False  #: whether it was cancelled


@runtime_checkable
class BatchApi(Protocol):
    """A connection to a service that also takes many requests at once and replies within a day, for half the price."""

    def send_batch(self, requests: Mapping[str, Json]) -> str:
        """Send requests by their names; return the batch's id."""

    def batches(self, since: datetime) -> list[Batch]:
        """Return the batches that were made since then."""

    def batch_replies(self, batch_id: str) -> dict[str, Json | None]:
        """Return the replies of a batch that has ended, by the requests' names; None: there is none."""

    def cancel_batch(self, batch_id: str) -> None:
        """Have the service end a batch; what it has replied to by then is paid for."""

    def delete_batch(self, batch_id: str) -> None:
        """Have the service forget a batch that has ended."""

    def read(self, message: Json, prompt: Prompt) -> ModelReply:
        """Read a reply to a request that was made of ``prompt``."""


class BatchedReplies(Protocol):
    """The replies of batches to one question's requests."""

    def reply_to(self, request: Json) -> Json | None:
        """Return the reply; None: ask for it now. Raises AwaitsBatch while it is to come."""


class Provider(Protocol):
    """A service that runs models."""

    @property
    def prices(self) -> Mapping[str, Price]:
        """Model name's prefix → price; empty: what calls cost is not known."""

    def request(self, model: str, prompt: Prompt, max_tokens: int) -> Json:
        """Return the body of the request."""

    def open(self) -> Connection:
        """Open a connection pool."""
