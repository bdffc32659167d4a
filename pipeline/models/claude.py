"""Offer Claude as a provider: a prompt as a request of Anthropic's Messages API, with ``search_result`` blocks to cite.

Importing this does not import the SDK, which is slow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pipeline.answering.sections import count_tokens
from pipeline.llm import ApiKeyRejected
from pipeline.models.passages import PassageBlocks, sendable, title_of
from pipeline.models.prices import PRICES, Price
from pipeline.models.provider import Json, Prompt

if TYPE_CHECKING:
    from pipeline.models.claude_api import MessagesApi

#: tokens from which the API caches the beginning of a prompt whatever the model: 1,024 to 4,096
CACHED_FROM = 4_096
#: models without the effort setting; the others think before they reply, and need little of that here
_WITHOUT_EFFORT = ("claude-3", "claude-haiku-4", "claude-sonnet-4-5", "claude-sonnet-4-2", "claude-opus-4-1")


@dataclass(kw_only=True)
class ClaudeProvider:
    """Anthropic's Messages API, or another server that speaks it."""

    api_key: str = field(repr=False)
    base_url: str = ""
    prices: Mapping[str, Price] = field(default_factory=lambda: PRICES, repr=False)

    def __post_init__(self) -> None:
        self.api_key = key = self.api_key.strip()
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise ApiKeyRejected("Claude's API key is empty or malformed: check WELLREAD_ANTHROPIC_API_KEY.")

    def request(self, model: str, prompt: Prompt, max_tokens: int) -> Json:
        """Return the body of ``POST /v1/messages``; the constant part comes first, cached if long enough."""
        constant = _text(prompt.instructions)
        if count_tokens(prompt.instructions) >= CACHED_FROM:
            constant["cache_control"] = {"type": "ephemeral"}
        content = [*search_results(prompt.passages, citable=prompt.schema is None), *map(_text, prompt.texts)]
        config: Json = {} if model.startswith(_WITHOUT_EFFORT) else {"effort": "low"}
        if prompt.schema:
            config["format"] = {"type": "json_schema", "schema": prompt.schema}
        return {
            "model": model,
            "max_tokens": max_tokens,
            "system": [constant, *(_text(note) for note in prompt.notes if note.strip())],
            "messages": [{"role": "user", "content": content}],
            **({"output_config": config} if config else {}),
        }

    def open(self) -> "MessagesApi":
        """Open a connection pool."""
        from pipeline.models.claude_api import MessagesApi

        return MessagesApi(base_url=self.base_url, api_key=self.api_key)


def search_results(passages: Sequence[PassageBlocks], *, citable: bool) -> list[dict[str, Any]]:
    """Return the passages as ``search_result`` blocks; all are citable, or none."""
    return [
        {
            "type": "search_result",
            "source": sendable(item.passage.url) or item.passage.id,
            "title": title_of(item.passage),
            "content": [{"type": "text", "text": block} for block in item.blocks()],
            "citations": {"enabled": citable},
        }
        for item in passages
    ]


def _text(text: str) -> Json:
    return {"type": "text", "text": text.encode("utf-8", "replace").decode()}
