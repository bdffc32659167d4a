"""What a model is told with a question, by either provider: our words and the operator's apart from those of others."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from domain.options import Length
from pipeline.llm import Brief, Form
from pipeline.models import prompts
from pipeline.models.calls import Provider
from pipeline.models.claude import ClaudeProvider
from pipeline.models.model import LanguageModel
from pipeline.models.openai import OpenAIProvider
from pipeline.models.openai_api import cited_texts
from pipeline.models.passages import cut_into_blocks
from pipeline.models.provider import Prompt
from tests.claude_double import ClaudeDouble, claude_at
from tests.fakes import passage
from tests.openai_double import OpenAIDouble, model_at

PAGE = "The kettle of Vierburg is descaled with vinegar, once a month, and rinsed twice.\n\nIt holds 1.7 litres."
BRIEF = Brief(
    question="How do I descale it?",
    sections=(replace(passage(PAGE, title="Kettles › Care"), published=datetime(2024, 5, 1, tzinfo=UTC)),),
    today=date(2026, 11, 26),
    lang="de",
    sites=("https://kettles.example/",),
    form="steps",
    notes=("The pages disagree.",),
    instructions="Say Sie, not du.",
    asked_for="Write like a pirate.",
    examples="<example>Question: What?</example>",
)


def parts(body: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the system prompt, and what the user's message consists of."""
    if "system" in body:
        (turn,) = body["messages"]
        return "\n".join(block["text"] for block in body["system"]), [json.dumps(each) for each in turn["content"]]
    system, user = body["messages"]
    return system["content"], user["content"].split("\n\n")


def asked(call: Callable[[LanguageModel], object], server: str) -> tuple[str, list[str]]:
    if server == "claude":
        with ClaudeDouble() as claude:
            model = claude_at(base_url=claude.url)
            call(model)
            model.close()
            return parts(claude.received[0].body)
    with OpenAIDouble() as double:
        model = model_at(double.url)
        call(model)
        model.close()
        return parts(double.received[0].body)


@pytest.mark.parametrize("server", ["claude", "other"])
def test_answer_is_asked_for_with_the_date_the_site_and_the_operators_words(server: str) -> None:
    system, user = asked(lambda model: model.write(BRIEF), server)
    for ours in ("Today is 2026-11-26.", "“de”", "numbered list", "The pages disagree.", "Say Sie, not du."):
        assert ours in system
        assert not any(ours in each for each in user)
    whole = "\n\n".join(user)
    for theirs in ("vinegar", "kettles.example", "pirate", "<example>"):
        assert theirs in whole
        assert theirs not in system
    assert "Kettles \\u203a Care (published 2024-05-01)" in whole or "Kettles › Care (published 2024-05-01)" in whole
    assert "Question: How do I descale it?" in user[-1]
    assert "elevance" not in system + whole


@pytest.mark.parametrize("server", ["claude", "other"])
def test_verdict_reads_the_same_sections_and_less_of_the_rest(server: str) -> None:
    system, user = asked(lambda model: model.verdict(BRIEF), server)
    whole = "\n\n".join(user)
    assert "vinegar" in whole
    assert "kettles.example" in whole
    assert not any(each in system + whole for each in ("pirate", "Say Sie", "numbered list", "<example>", "elevance"))
    assert len(system) < 2_500


@pytest.mark.parametrize("provider", [ClaudeProvider(api_key="key"), OpenAIProvider(base_url="http://127.0.0.1/v1")])
def test_same_question_is_the_same_request(provider: Provider) -> None:
    def made() -> dict[str, Any]:
        texts = prompts.asked_texts(BRIEF)
        prompt = Prompt(
            instructions=prompts.ANSWER, notes=prompts.answer_notes(BRIEF), texts=texts,
            passages=cut_into_blocks([replace(BRIEF.sections[0], read_at=datetime.now(UTC))]),
        )  # fmt: skip
        return provider.request("m", prompt, 100)

    assert json.dumps(made()) == json.dumps(made())  # whenever the page was read


@pytest.mark.parametrize("form", ["prose", "steps", "list", "table", "code"])
@pytest.mark.parametrize("length", ["short", "normal", "long", "report"])
def test_every_form_and_length_has_its_words(form: Form, length: Length) -> None:
    notes = prompts.answer_notes(replace(BRIEF, form=form, length=length))
    others = [
        prompts.answer_notes(replace(BRIEF, form=form, length=each)) for each in ("short", "normal") if each != length
    ]
    assert notes not in others
    assert ("##" in notes[1]) == (length == "report")


def test_markdown_with_markers_keeps_its_lines_and_its_code() -> None:
    reply = "1. Descale it with vinegar. [1]\n2. Rinse it twice. [1]\n\n```\nx = kettles[1]\n```\n"
    found = cited_texts(reply, cut_into_blocks(BRIEF.sections))
    assert "".join(part.text for part in found).split("\n")[:2] == [
        "1. Descale it with vinegar. ",
        "2. Rinse it twice. ",
    ]
    assert "x = kettles[1]" in found[-1].text
    assert [span.passage.text[span.start : span.end] for part in found for span in part.citations] == [
        "The kettle of Vierburg is descaled with vinegar, once a month, and rinsed twice."
    ] * 2


def test_code_in_json_keeps_its_lines() -> None:
    code = "```\nbrew install foo\nfoo --serve\n```"
    (part,) = cited_texts(json.dumps({"sentences": [{"text": code, "citations": []}]}), ())
    assert part.text.strip() == code
