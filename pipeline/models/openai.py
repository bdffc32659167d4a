"""Offer any server of the chat completions API as a provider: passages as marked text, the reply as JSON."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipeline.models.passages import PassageBlocks, sendable, title_of
from pipeline.models.prices import Price
from pipeline.models.prompts import ANSWER_SCHEMA
from pipeline.models.provider import Json, Prompt

if TYPE_CHECKING:
    from pipeline.models.openai_api import ChatApi

CITE = """\
Reply with one JSON object and nothing else, of this form:
{"sentences": [{"text": "…", "citations": [{"passage": 1, "quote": "…"}]}]}
- text: one sentence, item or row of your answer, without reference numbers; items with their marks, code in a block.
- passage: the number of the search result that states it. quote: the sentence of that search result that states it, \
copied to the letter, without any change. A quote that is not found there counts for nothing.
- Only a last sentence about what the search results do not say has no citations: [].
- If the search results do not answer the question, the whole reply is \
{"sentences": [{"text": "The search results do not say.", "citations": []}]}"""
_REPLY = "Reply with one JSON object and nothing else. Its JSON schema:\n"
#: what would end or begin a search result inside of one
_MARKUP = re.compile(r"<(?=\s*/?\s*search_result)", re.IGNORECASE)


@dataclass(kw_only=True)
class OpenAIProvider:
    """A server that speaks OpenAI's chat completions API; local ones need no key. Its prices are not known here."""

    base_url: str  #: to which /chat/completions is added
    api_key: str = field(default="", repr=False)
    prices: Mapping[str, Price] = field(default_factory=dict, repr=False)

    def request(self, model: str, prompt: Prompt, max_tokens: int) -> Json:
        """Return the body of ``POST /chat/completions``; the constant part of the prompt comes first, for caches."""
        schema = prompt.schema or ANSWER_SCHEMA
        form = CITE if prompt.schema is None else _REPLY + json.dumps(schema)
        system = [prompt.instructions, form, *filter(str.strip, prompt.notes)]
        user = [*(_search_result(number, item) for number, item in enumerate(prompt.passages, start=1)), *prompt.texts]
        return {
            "model": model,
            "messages": [
                {"role": "system", "content": "\n\n".join(system)},
                {"role": "user", "content": "\n\n".join(user).encode("utf-8", "replace").decode()},
            ],
            "max_tokens": max_tokens,
            "temperature": 0,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": schema},
            },
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    def open(self) -> "ChatApi":
        """Open a connection pool."""
        from pipeline.models.openai_api import ChatApi

        return ChatApi(base_url=self.base_url, api_key=self.api_key)


def _search_result(number: int, item: PassageBlocks) -> str:
    """Return a passage between marks that its text cannot write."""
    source = sendable(item.passage.url) or item.passage.id
    inside = f"{title_of(item.passage)}\n{source}\n\n{''.join(item.blocks()).strip()}"
    return f'<search_result number="{number}">\n{_MARKUP.sub("‹", inside)}\n</search_result>'
