"""Understand a question from what was asked before it in its thread, by rules."""

from __future__ import annotations

from pipeline.question.follow_up.understand import understand

__all__ = ["understand"]
