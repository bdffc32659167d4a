"""Asks a model for an answer or a verdict from hits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from domain import Answer, Hit, Verdict
from pipeline.llm import Brief, Model, OnAnswer, Priced


def answered(
    model: Model, question: str, hits: Sequence[Hit], on_answer: OnAnswer | None = None, **others: Any
) -> Answer:
    """Return what the model writes, with these other fields of the brief."""
    return model.write(_brief(question, hits, **others), on_answer).answer


def judged(model: Model, question: str, hits: Sequence[Hit]) -> Priced[Verdict]:
    return model.verdict(_brief(question, hits))


def _brief(question: str, hits: Sequence[Hit], **others: Any) -> Brief:
    return Brief(question=question, sections=tuple(hit.passage for hit in hits), today=date(2026, 1, 1), **others)
