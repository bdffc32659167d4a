"""Offer Claude as a provider; importing this does not import the SDK, which is slow."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipeline.llm import ApiKeyRejected
from pipeline.models.claude.request import request_of
from pipeline.models.prices import PRICES, Price
from pipeline.models.provider import Json, Prompt

if TYPE_CHECKING:
    from pipeline.models.claude.http import MessagesApi


@dataclass(kw_only=True)
class ClaudeProvider:
    """Anthropic's Messages API, or another server that speaks it."""

    api_key: str = field(repr=False)
    base_url: str = ""
    prices: Mapping[str, Price] = field(default_factory=lambda: PRICES, repr=False)

    def __post_init__(self) -> None:
        self.api_key = _checked(self.api_key)

    def request(self, model: str, prompt: Prompt, max_tokens: int) -> Json:
        """Return the body of the request."""
        return request_of(model, prompt, max_tokens)

    def open(self) -> "MessagesApi":
        """Open a connection pool."""
        from pipeline.models.claude.http import MessagesApi

        return MessagesApi(base_url=self.base_url, api_key=self.api_key)


def _checked(api_key: str) -> str:
    key = api_key.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise ApiKeyRejected("Claude's API key is empty or malformed: check WELLREAD_ANTHROPIC_API_KEY.")
    return key
