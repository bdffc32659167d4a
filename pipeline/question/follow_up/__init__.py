"""Understand a question from what was asked before it in its thread, by rules."""

from pipeline.question.follow_up.understand import needs_thread, stands_alone, understand

__all__ = ["needs_thread", "stands_alone", "understand"]
