"""What a model says is held to the rules that hold without one."""

from __future__ import annotations

import pytest

from pipeline.fallback import judge_hits
from pipeline.judging.judge import calibrated_judge
from pipeline.phrases import say
from pipeline.question.analysis import analyse_question
from tests.openai_double import OpenAIDouble, chat_json, model_at
from tests.pipeline.models.claude.lighthouse import QUESTION, hits


@pytest.mark.parametrize(("confidence", "sufficient"), [(0.55, False), (0.69, False), (0.7, True), (1.0, True)])
def test_verdict_of_a_model_keeps_to_the_threshold(confidence: float, sufficient: bool) -> None:
    said = {"sufficient": True, "confidence": confidence, "reason": "It says so.", "missing": [], "contradictions": []}
    with OpenAIDouble() as double:
        model = model_at(double.url)
        double.script(chat_json(said))
        judge = calibrated_judge("hashing")
        verdict = judge_hits(analyse_question(QUESTION), hits(), model=model, judge=judge, threshold=0.7).value
        model.close()
    assert (verdict.sufficient, verdict.confidence) == (sufficient, confidence)
    assert ("below the 0.70 needed" in verdict.reason) is not sufficient


def test_what_stands_beside_a_models_words_is_in_the_language_of_the_question() -> None:
    german = analyse_question("Wann wurde der Leuchtturm von Vierburg gebaut?")
    said = {"sufficient": True, "confidence": 0.55, "reason": "Es steht da.", "missing": [], "contradictions": []}
    with OpenAIDouble() as double:
        model = model_at(double.url)
        double.script(chat_json(said))
        judge = calibrated_judge("hashing")
        verdict = judge_hits(german, hits(), model=model, judge=judge, threshold=0.7).value
        model.close()
    assert verdict.reason == f"Es steht da. {say('below_threshold', 'de', confidence=0.55, threshold=0.7)}"
