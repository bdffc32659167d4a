"""Offer any server that speaks the chat completions API as a provider; its prices are not known here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipeline.models.openai.request import request_of
from pipeline.models.prices import Price
from pipeline.models.provider import Json, Prompt

if TYPE_CHECKING:
    from pipeline.models.openai.http import ChatApi


@dataclass(kw_only=True)
class OpenAIProvider:
    """A server that speaks OpenAI's chat completions API; local ones need no key."""

    base_url: str  #: to which /chat/completions is added
    api_key: str = field(default="", repr=False)
    prices: Mapping[str, Price] = field(default_factory=dict, repr=False)

    def request(self, model: str, prompt: Prompt, max_tokens: int) -> Json:
        """Return the body of the request."""
        return request_of(model, prompt, max_tokens)

    def open(self) -> "ChatApi":
        """Open a connection pool."""
        from pipeline.models.openai.http import ChatApi

        return ChatApi(base_url=self.base_url, api_key=self.api_key)
