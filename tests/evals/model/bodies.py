"""Requests as the product sends them, with what varies between two runs as arguments."""

from __future__ import annotations

from typing import Any

QUESTION = "Who built the lighthouse?"
SCHEMA = {
    "type": "object",
    "properties": {"sufficient": {"type": "boolean"}},
    "required": ["sufficient"],
    "additionalProperties": False,
}


def answer_body(
    *, port: int = 4000, today: str = "2026-11-26", read: str = "2026-11-26T09:30Z", **more: Any
) -> dict[str, Any]:
    """Return the body of a request for an answer."""
    address = f"http://127.0.0.1:{port}/"
    return {
        "model": "claude-sonnet-5-5",
        "max_tokens": 100,
        "system": [
            {"type": "text", "text": "You answer a question.", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": f"Today is {today}. The question is about {address}."},
        ],
        "messages": [
            {
                "role": "user",
                "content": [
                    {
                        "type": "search_result",
                        "source": f"{address}index.html",
                        "title": f"The lighthouse (read {read})",
                        "content": [
                            {"type": "text", "text": "The lighthouse was built by Ada Ferrier. "},
                            {"type": "text", "text": "She finished it on 2026-11-26."},
                        ],
                        "citations": {"enabled": True},
                    },
                    {"type": "text", "text": f"Question: {QUESTION}"},
                ],
            }
        ],
        **more,
    }


def verdict_body() -> dict[str, Any]:
    """Return the body of a request for a verdict."""
    body = answer_body()
    for block in body["messages"][0]["content"]:
        block.pop("citations", None)
    return {
        **body,
        "output_config": {"format": {"type": "json_schema", "schema": {**SCHEMA, "additionalProperties": False}}},
    }
