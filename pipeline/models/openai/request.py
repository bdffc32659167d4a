"""Write a prompt as a request of the chat completions API: passages as marked text, the reply as JSON."""

import json
import re
from collections.abc import Callable, Mapping

from pipeline.models.passages import PassageBlocks, sendable, title_of
from pipeline.models.provider import Json, Prompt
from pipeline.models.schemas import ANSWER_SCHEMA

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


def request_of(model: str, prompt: Prompt, max_tokens: int) -> Json:
    """Return the body of ``POST /chat/completions``; the constant part of the prompt comes first, for caches."""
    schema = prompt.schema or ANSWER_SCHEMA
    form = CITE if prompt.schema is None else _REPLY + json.dumps(schema)
    system = [prompt.instructions, form, *filter(str.strip, prompt.notes)]
    user = [*(_search_result(number, item) for number, item in enumerate(prompt.passages, start=1)), *prompt.texts]
    return {
        "model": model,
        "messages": [
            {"role": "system", "content": "\n\n".join(system)},
            {"role": "user", "content": "\n\n".join(map(_encodable, user))},
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


def adaptation_for(request: Json, complaint: str) -> str:
    """Return the name of the adaptation that may make a refused request acceptable; "" for none."""
    complaint = complaint.casefold()
    if "context" in complaint:  # too long, whatever its form
        return ""
    named = next((name for name, words in _NAMED.items() if any(word in complaint for word in words)), "")
    if named:
        return named if ADAPTATIONS[named](request) != request else ""
    return "schema" if "response_format" in request else ""  # some servers do not say what they lack


def _rename_max_tokens(request: Json) -> Json:
    """OpenAI's newer models take the number under another name."""
    renamed = {name: value for name, value in request.items() if name != "max_tokens"}
    return renamed | ({"max_completion_tokens": request["max_tokens"]} if "max_tokens" in request else {})


def _simpler_form(request: Json) -> Json:
    """Ask for JSON without a schema, then for any text: the prompt names the form in any case."""
    kept = {name: value for name, value in request.items() if name != "response_format"}
    is_schema = request.get("response_format", {}).get("type") == "json_schema"
    return kept | ({"response_format": {"type": "json_object"}} if is_schema else {})


def _without(name: str) -> Callable[[Json], Json]:
    return lambda request: {other: value for other, value in request.items() if other != name}


#: what servers and models differ in
ADAPTATIONS: Mapping[str, Callable[[Json], Json]] = {
    "max_tokens": _rename_max_tokens,
    "temperature": _without("temperature"),
    "stream_options": _without("stream_options"),
    "schema": _simpler_form,
}
#: words of a complaint → the adaptation
_NAMED: Mapping[str, tuple[str, ...]] = {
    "max_tokens": ("max_completion_tokens",),
    "temperature": ("temperature",),
    "stream_options": ("stream_options", "include_usage"),
    "schema": ("response_format", "json_schema", "json_object", "schema", "grammar", "guided", "structured"),
}


def _search_result(number: int, item: PassageBlocks) -> str:
    """Return a passage between marks that its text cannot write."""
    source = sendable(item.passage.url) or item.passage.id
    inside = f"{title_of(item.passage)}\n{source}\n\n{''.join(item.blocks()).strip()}"
    return f'<search_result number="{number}">\n{_MARKUP.sub("‹", inside)}\n</search_result>'


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
