"""Write a prompt as a request of Anthropic's Messages API: passages as ``search_result`` blocks that can be cited."""

from collections.abc import Sequence
from typing import Any

from pipeline.answering.sections import count_tokens
from pipeline.models.passages import PassageBlocks, narrow, sendable, title_of
from pipeline.models.provider import Json, PassageSpan, Prompt

#: tokens from which the API caches the beginning of a prompt whatever the model: 1,024 to 4,096
CACHED_FROM = 4_096
#: models without the effort setting; the others think before they reply, and need little of that here
_WITHOUT_EFFORT = ("claude-3", "claude-haiku-4", "claude-sonnet-4-5", "claude-sonnet-4-2", "claude-opus-4-1")


def request_of(model: str, prompt: Prompt, max_tokens: int) -> Json:
    """Return the body of ``POST /v1/messages``."""
    content = [*search_results(prompt.passages, citable=prompt.schema is None), *map(_text, prompt.texts)]
    request: Json = {
        "model": model,
        "max_tokens": max_tokens,
        "system": _system(prompt),
        "messages": [{"role": "user", "content": content}],
    }
    if config := _output_config(model, prompt.schema):
        request["output_config"] = config
    return request


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


def _system(prompt: Prompt) -> list[Json]:
    """Return the system prompt: the constant part first, marked for caching if it is long enough, then the notes."""
    constant = _text(prompt.instructions)
    if count_tokens(prompt.instructions) >= CACHED_FROM:
        constant["cache_control"] = {"type": "ephemeral"}
    blocks = [constant]
    return blocks + [_text(note) for note in prompt.notes if note.strip()]


def _text(text: str) -> Json:
    return {"type": "text", "text": text.encode("utf-8", "replace").decode()}


def _output_config(model: str, schema: Json | None) -> Json:
    config: Json = {} if model.startswith(_WITHOUT_EFFORT) else {"effort": "low"}
    return config | ({"format": {"type": "json_schema", "schema": schema}} if schema else {})
