"""`wellread learn`: correct the judge's confidence by readers' feedback."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from api.cli.connect import open_client
from api.cli.output import print_json, print_lines, terminal

if TYPE_CHECKING:
    from api.cli.views.question import Style
    from wellread.learned import LearnedOut


@click.command()
@click.option("--reset", is_flag=True, help="Return to the shipped judge; feedback given so far no longer counts.")
@click.option("--json", "as_json", is_flag=True, help="Print the API's JSON.")
def learn(reset: bool, as_json: bool) -> None:
    """Correct the judge's confidence by readers' feedback now, and show how.

    A correction is used, without a restart, if it does better on held-out answers. There is one for each embedder,
    language and calibration.
    """
    with open_client() as client:
        learned = client.reset_learned() if reset else client.learn()
    if as_json:
        print_json([each.model_dump(mode="json") for each in learned])
    elif not learned:
        print_lines("Nothing to learn from yet: no answer was judged, or none whose evidence is kept.")
    else:
        print_lines(*(line for each in learned for line in _lines(each, terminal())))


def _lines(learned: LearnedOut, style: Style) -> Iterator[str]:
    is_used = (learned.intercept, learned.slope) != (0, 1)
    said = style.paint(learned.said, fg="green" if is_used else "yellow")
    yield f"{learned.lang or 'language unknown'} ({learned.calibration}), {learned.embedder}: {said}"
    yield f"    {learned.right:,} right and {learned.wrong:,} wrong, {learned.held_out:,} of them held out"
    yield f"    intercept {learned.intercept:+.2f}, slope {learned.slope:.2f}"
    if learned.loss_before is not None and learned.loss_after is not None:
        yield f"    log loss {learned.loss_before:.3f} → {learned.loss_after:.3f} on the held-out answers"


COMMANDS = (learn,)
