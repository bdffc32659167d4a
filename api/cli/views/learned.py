"""Formats for the terminal what was learned from feedback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from api.cli.views.question import Style
from api.cli.views.width import when, wrap

if TYPE_CHECKING:
    from wellread.learned_records import LearnedOut, LessonOut, TryOut, VersionOut


def lesson_lines(lessons: Sequence[LessonOut], style: Style) -> list[str]:
    """Return the outcome of learning for each kind."""
    lines: list[str] = []
    for lesson in lessons:
        came_to = f"version {lesson.version}, in use now" if lesson.version else "stays as it is"
        colour = "green" if lesson.version else "yellow"
        of = f" for {lesson.embedder}" if lesson.embedder else ""
        lines.append(f"{style.paint(lesson.kind, fg=colour)}{of}: {came_to}")
        lines += wrap(lesson.said, style.width, first="    ", rest="    ")
    return lines


def learned_lines(known: LearnedOut, style: Style) -> list[str]:
    """Return the versions with their figures, then the last tries."""
    lines = [line for version in known.versions for line in _version_lines(version, style)]
    if not known.versions:
        lines = ["Nothing learned yet: judge and reranker are as shipped."]
    tries = [line for each in known.tries if each.tried_at for line in _try_lines(each, style)]
    return [*lines, "", "Last tried:", *tries] if tries else lines


def _version_lines(version: VersionOut, style: Style) -> Iterator[str]:
    use = style.paint("  in use", fg="green") if version.active else ""
    of = f"  {version.embedder}" if version.embedder else ""
    yield f"{version.kind} {version.number}  {when(version.created_at)}  {version.examples:,} examples{of}{use}"
    for part, figures in version.metrics.items():
        shown = ", ".join(f"{name} {each['before']:.3f} → {each['after']:.3f}" for name, each in figures.items())
        yield from wrap(f"{part}: {shown}", style.width, first="    ", rest="      ")


def _try_lines(tried: TryOut, style: Style) -> Iterator[str]:
    held = " (rolled back; stays until `wellread learn`)" if tried.held else ""
    of = f" for {tried.embedder}" if tried.embedder else ""
    yield from wrap(
        f"{tried.kind}{of}, {when(tried.tried_at)}{held}: {tried.said}", style.width, first="  ", rest="    "
    )
