"""What Anthropic's Messages API refuses a request for, as far as the double checks it."""

from __future__ import annotations

from collections.abc import Mapping

from evals.model.wire import Fail, Json, content_of

THINKING_MODELS = ("claude-sonnet-5", "claude-haiku-5", "claude-opus-5", "claude-fable", "claude-mythos")
WITHOUT_EFFORT = ("claude-haiku-4", "claude-sonnet-4-5")
SCHEMA_KEYS = {"type", "properties", "required", "additionalProperties", "items", "enum", "description"}


def complaint(path: str, headers: Mapping[str, str], body: Json, key: str) -> Fail | None:
    """Say what the API would refuse the request for."""
    if path != "/v1/messages":
        return Fail(404, "not_found_error", f"no such path {path}")
    if wrong_key := wrong_headers(headers, key):
        return wrong_key
    for check in (_wrong_parameters, _wrong_output, _wrong_blocks):
        if wrong := check(body):
            return Fail(400, "invalid_request_error", wrong)
    return None


def wrong_headers(headers: Mapping[str, str], key: str) -> Fail | None:
    """Say what the API would refuse any request for."""
    if headers.get("authorization") != f"Bearer {key}" and headers.get("x-api-key") != key:
        return Fail(401, "authentication_error", "invalid x-api-key")
    if "anthropic-version" not in headers:
        return Fail(400, "invalid_request_error", "anthropic-version: header is required")
    return None


def _wrong_parameters(body: Json) -> str:
    model = body["model"]
    if not isinstance(body.get("max_tokens"), int):
        return "max_tokens: field required"
    if model.startswith(THINKING_MODELS) and {"temperature", "top_p", "top_k"} & body.keys():
        return "sampling parameters are not supported on this model"
    if model.startswith("claude-sonnet-5-5") and body.get("thinking", {}).get("type") in {"enabled", "disabled"}:
        return "thinking.type: not supported on this model"
    if "effort" in body.get("output_config", {}) and model.startswith(WITHOUT_EFFORT):
        return "This model does not support the effort parameter."
    if [turn["role"] for turn in body["messages"]] != ["user"]:
        return "messages: one turn of the user's is expected here"
    return ""


def _wrong_output(body: Json) -> str:
    form = body.get("output_config", {}).get("format")
    if form is None:
        return ""
    if any(block.get("citations", {}).get("enabled") for block in content_of(body)):
        return "citations cannot be used together with output_config.format"
    return _wrong_schema(form["schema"])


def _wrong_schema(schema: Json) -> str:
    if unknown := schema.keys() - SCHEMA_KEYS:
        return f"schema: {sorted(unknown)} is not supported"
    if schema["type"] == "object" and schema.get("additionalProperties") is not False:
        return "schema: additionalProperties must be false"
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return next(filter(None, map(_wrong_schema, inner)), "")


def _wrong_blocks(body: Json) -> str:
    blocks = content_of(body)
    results = [block for block in blocks if block["type"] == "search_result"]
    if len({bool(block.get("citations", {}).get("enabled")) for block in results}) > 1:
        return "citations must be enabled on all or none of the search results"
    for block in results:
        if not block.get("source") or not block.get("title") or not block.get("content"):
            return "search_result: source, title and content are required"
    texts = [*body.get("system", []), *blocks, *(inner for block in results for inner in block["content"])]
    if any(not block["text"].strip() for block in texts if block["type"] == "text"):
        return "text content blocks must contain non-whitespace text"
    return ""
