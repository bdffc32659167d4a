"""What came of a file that was taken over, as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from api.cli.views.width import counted

if TYPE_CHECKING:
    from domain.access.collection import Imported


def imported_lines(taken: Imported) -> Iterator[str]:
    """Yield what was taken, and what was not and why."""
    yield (
        f"{counted(taken.sources, 'source')}; pages: {taken.new:,} new, {taken.newer:,} with a later text, "
        f"{taken.known:,} known already."
    )
    if taken.questions or taken.questions_known:
        yield f"Questions: {taken.questions:,} new, {taken.questions_known:,} known already."
    if taken.folders:
        yield f"Watched folders now: {taken.folders:,}."
    yield from _left(
        "Not imported as your own, so private addresses stay closed (`--own` imports them):", taken.own_left
    )
    yield from _left(
        "Folders that are not watched (`wellread add FOLDER --name NAME`, or `--own` if they are on this machine):",
        taken.folders_left,
    )
    yield from _left("Sites not excluded here (set `WELLREAD_EXCLUDE_SITES`):", taken.sites_left)


def _left(why: str, what: tuple[str, ...]) -> Iterator[str]:
    if what:
        yield why
        yield from (f"    {each}" for each in what)
