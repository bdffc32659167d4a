"""Asks a model for an answer or a verdict from hits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from domain import Answer, Hit, Verdict
from pipeline.llm import Brief, OnAnswer, Priced
from pipeline.models.model import LanguageModel


def answered(
    model: LanguageModel, question: str, hits: Sequence[Hit], on_answer: OnAnswer | None = None, **others: Any
) -> Answer:
    """Return what the model writes, with these other fields of the brief."""
    return model.write(brief(question, hits, **others), on_answer).answer


def judged(model: LanguageModel, question: str, hits: Sequence[Hit]) -> Priced[Verdict]:
    return model.verdict(brief(question, hits))


def brief(question: str, hits: Sequence[Hit], **others: Any) -> Brief:
    """Return what a model is to answer from the hits."""
    return Brief(question=question, sections=tuple(hit.passage for hit in hits), today=date(2026, 1, 1), **others)
