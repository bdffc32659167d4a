"""Formats the passages that a search found for the terminal."""

from collections.abc import Sequence

from api.cli.views.question import Style
from api.cli.views.width import clean, cut, wrap
from wellread import FoundPassage

#: lines shown of one passage
_MOST_LINES = 6


def passages_lines(found: Sequence[FoundPassage], style: Style) -> list[str]:
    """Return each passage with its page, best first; or that there is none."""
    if not found:
        return ["No passage matches: read pages with `wellread read`, or search with fewer filters."]
    return [line for passage in found for line in _lines(passage, style)]


def _lines(passage: FoundPassage, style: Style) -> list[str]:
    heading = cut(f"{passage.rank}. {clean(passage.title or passage.url)}", style.width)
    text = wrap(_below_heading(passage), style.width - 3)
    shown = text[:_MOST_LINES] + (["…"] if len(text) > _MOST_LINES else [])
    return [style.paint(heading, bold=True), *(f"   {line}" for line in shown), f"   {clean(passage.url)}", ""]


def _below_heading(passage: FoundPassage) -> str:
    """Return the passage's text without the heading that its title ends with: that is shown above it."""
    first, _, rest = passage.text.partition("\n")
    is_shown = first.strip().casefold() == passage.title.rpartition(" › ")[2].strip().casefold()
    return rest.lstrip("\n") if is_shown and rest.strip() else passage.text
