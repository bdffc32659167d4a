"""Made-up feedback: evidence from thin to full, and what readers would say of answers from it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

from pipeline.judging.calibration import FEATURES, Calibration, calibration_for
from pipeline.learning.feedback import JudgedAnswer
from pipeline.learning.judge import predict, to_cases

EMBEDDER = "wellread-en-2-int8*0.4+use-multilingual-v3+gloss-1"
SHIPPED = calibration_for(EMBEDDER, "en")


def evidence(strength: float, **changed: float) -> Mapping[str, float]:
    """Evidence that is 0 where nothing speaks for an answer and 1 where all does."""
    against = {"missing_weight", "absent_weight", "missing_name"}
    plain = {"term_count": 1.6, "term_weight": 1.4}
    spans = {"margin": 0.25, "coverage_margin": 0.4}
    every = {
        name: plain.get(name, spans.get(name, 1.0) * (1 - strength if name in against else strength))
        for name in FEATURES
    }
    return {**every, **changed}


def answer(at: int, strength: float, *, right: bool, lang: str = "en") -> JudgedAnswer:
    return JudgedAnswer(
        question=f"question {at}?", lang=lang, evidence=evidence(strength), beside_the_point=False, right=right
    )


def confidence(judge: Calibration, strength: float) -> float:
    return float(predict(judge, to_cases([answer(0, strength, right=True)]))[0])


def history(count: int, *, shift: float = 0.0, seed: int = 1, lang: str = "en") -> list[JudgedAnswer]:
    """Answers right as often as the shipped judge says of evidence that is weaker by ``shift``: it is too sure."""
    chance = random.Random(seed)
    made = []
    for at in range(count):
        strength = chance.uniform(0.2, 1.0)
        right = chance.random() < confidence(SHIPPED, strength - shift)
        made.append(answer(at, strength, right=right, lang=lang))
    return made


def flipped(judged: list[JudgedAnswer]) -> list[JudgedAnswer]:
    return [replace(each, right=not each.right) for each in judged]
