"""Formats for the terminal: threads, and the questions of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from api.cli.views.width import clean, cut, when, wrap

if TYPE_CHECKING:
    from api.cli.views.question import Style
    from domain.question import Thread, ThreadWithQuestions


def thread_lines(found: Sequence[Thread], style: Style) -> list[str]:
    """Return threads, each with its id, when it was last asked in, and its title."""
    if not found:
        return ["There is none: `wellread ask QUESTION --thread new` begins one."]
    return [
        cut(f"{each.id}  {when(each.updated_at)}  {each.questions:>5}  {clean(each.title)}", style.width)
        for each in found
    ]


def turn_lines(thread: ThreadWithQuestions, style: Style) -> list[str]:
    """Return a thread's questions in their order, each with what was understood, and where it stands."""
    lines = [
        *wrap(thread.title, style.width),
        f"{thread.questions} questions, the last asked {when(thread.updated_at)}",
    ]
    for turn in thread.turns:
        lines += ["", f"{turn.id}  {when(turn.created_at)}  {turn.status.lower()}"]
        lines += wrap(turn.question, style.width, first="  ", rest="  ")
        if turn.question_as_understood:
            lines += wrap(turn.question_as_understood, style.width, first="  = ", rest="    ")
    return lines
