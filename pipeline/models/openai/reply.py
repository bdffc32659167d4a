"""Put a reply together from the events of its stream."""

from dataclasses import dataclass, field

from pipeline.llm import BadReply, ModelUnreachable
from pipeline.models.openai.citations import cited_texts
from pipeline.models.prices import CHARACTERS_PER_TOKEN, Usage
from pipeline.models.provider import Json, ModelReply, Prompt

#: of what a server says of itself
DETAIL_CHARACTERS = 200


class Reported(Exception):
    """The server reports an error inside a stream."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(kw_only=True)
class Reply:
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
            raise Reported(str(error.get("message", error) if isinstance(error, dict) else error))
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
        return Usage(
            input_tokens=max(0, int(read)) if read else sent // CHARACTERS_PER_TOKEN,
            output_tokens=max(0, int(written))
            if written
            else (len(self.text) + self._thoughts) // CHARACTERS_PER_TOKEN,
        )
