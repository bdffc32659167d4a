"""Understand a question from what was asked before it in its thread, by rules."""

from __future__ import annotations

from pipeline.question.follow_up.understand import needs_thread, understand

__all__ = ["needs_thread", "understand"]
