"""Verdicts and variants: JSON of a given form, read with suspicion."""

from __future__ import annotations

import json

import pytest

from evals.model.wire import Say, say_json
from pipeline.llm import BadReply
from pipeline.models.model import LanguageModel
from tests.claude_double import ClaudeDouble
from tests.pipeline.models.asking import answered, judged
from tests.pipeline.models.claude.lighthouse import QUESTION, Ask, hits


def test_verdict_says_whether_the_passages_suffice(double: ClaudeDouble, claude: LanguageModel) -> None:
    good, bad = judged(claude, QUESTION, hits()), judged(claude, "Who composed Fidelio?", hits())
    assert good.value.sufficient
    assert not bad.value.sufficient
    assert bad.value.missing == ("composed", "fidelio")
    assert good.value.judge == "claude-haiku-5-5"
    assert double.received[0].body["output_config"]["format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    "fields",
    [
        {"sufficient": "yes", "reason": "r", "missing": []},  # a word for a boolean
        {"sufficient": True, "reason": "r"},  # a field less
        ["sufficient"],
    ],
)
def test_verdict_of_another_shape_is_a_bad_reply_that_has_its_cost(
    double: ClaudeDouble, claude: LanguageModel, fields: object
) -> None:
    double.script(say_json(fields))
    with pytest.raises(BadReply) as caught:
        judged(claude, QUESTION, hits())
    assert caught.value.cost.output_tokens > 0


def test_what_is_missing_is_in_short_phrases(double: ClaudeDouble, claude: LanguageModel) -> None:
    double.script(say_json({"sufficient": False, "reason": "r", "missing": [" a  b ", ""]}))
    assert judged(claude, QUESTION, hits()).value.missing == ("a b",)


def test_variants_are_other_wordings_of_known_kinds(double: ClaudeDouble, claude: LanguageModel) -> None:
    double.script(
        say_json(
            {
                "variants": [
                    {"kind": "paraphrase", "text": "In what year was the lighthouse of Vierburg put up?"},
                    {"kind": "paraphrase", "text": f"  {QUESTION.upper()} "},  # the question again
                    {"kind": "joke", "text": "Knock knock"},
                    {"kind": "keyword_focus", "text": "lighthouse\n Vierburg  built year"},
                    {"kind": "keyword_focus", "text": "Lighthouse Vierburg built year?"},  # said already
                    {"kind": "perspective_shift", "text": ""},
                    {"kind": "perspective_shift", "text": "x" * 501},
                    {"kind": "perspective_shift", "text": "The lighthouse of Vierburg dates from"},
                    "nonsense",
                ]
            }
        )
    )
    variants = claude.variants(QUESTION, count=3, lang="en").value
    assert [(variant.kind, variant.text) for variant in variants] == [
        ("paraphrase", "In what year was the lighthouse of Vierburg put up?"),
        ("keyword_focus", "lighthouse Vierburg built year"),
        ("perspective_shift", "The lighthouse of Vierburg dates from"),
    ]


def test_only_the_first_500_characters_of_a_question_leave_for_variants(
    double: ClaudeDouble, claude: LanguageModel
) -> None:
    claude.variants("a" * 500 + "SECRET", count=3, lang="")
    assert "SECRET" not in json.dumps(double.received[0].body)
    assert "a" * 500 in json.dumps(double.received[0].body)


def test_no_usable_variant_is_a_bad_reply(double: ClaudeDouble, claude: LanguageModel) -> None:
    double.script(say_json({"variants": []}))
    with pytest.raises(BadReply, match="no usable wording"):
        claude.variants(QUESTION, count=3, lang="en")


def test_count_is_respected_and_never_above_five(double: ClaudeDouble, claude: LanguageModel) -> None:
    assert len(claude.variants(QUESTION, count=2, lang="en").value) == 2
    claude.variants(QUESTION, count=50, lang="en")
    assert "Give 5 wordings" in double.received[1].body["messages"][0]["content"][0]["text"]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Say(["no JSON at all"]), "is no JSON object"),
        (Say(['{"sufficient": tr'], stop_reason="max_tokens"), "cut off at max_tokens"),
    ],
)
def test_structured_reply_that_is_not_json_is_a_bad_reply(
    double: ClaudeDouble, claude: LanguageModel, reply: Say, why: str
) -> None:
    double.script(reply)
    with pytest.raises(BadReply, match=why):
        judged(claude, QUESTION, hits())


@pytest.mark.parametrize(
    "model", ["claude-haiku-4-5-20251001", "claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5"]
)
def test_every_method_sends_what_the_model_takes(double: ClaudeDouble, ask: Ask, model: str) -> None:
    claude = ask(small_model=model, large_model=model)
    assert answered(claude, QUESTION, hits()).text
    assert judged(claude, QUESTION, hits()).value.sufficient
    assert claude.variants(QUESTION, count=3, lang="de").value
    assert {received.body["model"] for received in double.received} == {model}
