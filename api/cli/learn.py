"""`wellread learn`: teach the judge, the reranker and the choice of variants from feedback."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import click

from api.cli.connect import open_client
from api.cli.output import print_lines, terminal

if TYPE_CHECKING:
    from pydantic import BaseModel

    from wellread.learned_records import Kind

KINDS = ("judge", "reranker", "variants")
_AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print the API's JSON.")


class _VersionNumber(click.ParamType[int]):
    """A version's number, or "shipped"."""

    name = "version"

    def convert(self, value: str, param: click.Parameter | None, context: click.Context | None) -> int:
        """Return the number; the shipped version is 0."""
        bare = value.lower().removeprefix("v")
        if bare == "shipped":
            return 0
        if not bare.isdigit() or int(bare) == 0:
            self.fail(f"{value!r} is not a version: write its number, or shipped.", param, context)
        return int(bare)


@click.group(invoke_without_command=True)
@_AS_JSON
@click.pass_context
def learn(context: click.Context, as_json: bool) -> None:
    """Refit judge, reranker and variants from feedback now.

    A version that does better on held-out answers and passes the floor is used without a restart; any other is refused,
    with the figures that show why.
    """
    if context.invoked_subcommand is not None:
        return
    from api.cli.views.learned import lesson_lines

    with open_client() as client:
        lessons = client.learn()
    if as_json:
        _print_json(lessons)
    else:
        print_lines(*lesson_lines(lessons, terminal()))


@learn.command(name="list")
@_AS_JSON
def show_all(as_json: bool) -> None:
    """List the versions with their dates, examples and figures, and which are in use."""
    from api.cli.views.learned import learned_lines

    with open_client() as client:
        known = client.learned()
    if as_json:
        print_lines(known.model_dump_json(indent=2))
    else:
        print_lines(*learned_lines(known, terminal()))


@learn.command()
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("version", type=_VersionNumber(), required=False)
@_AS_JSON
def rollback(kind: str, version: int | None, as_json: bool) -> None:
    """Return to an earlier version of a kind, or to "shipped".

    Without VERSION, return to the previous one. Workers load it within seconds.
    Judge and reranker keep it until the next `wellread learn`.
    """
    with open_client() as client:
        in_use = client.rollback(cast("Kind", kind), version)
    if as_json:
        _print_json(in_use)
        return
    used = ", ".join(f"version {each.number}" for each in in_use) or "what is shipped"
    print_lines(f"In use of the {kind}: {used}.")


def _print_json(values: Sequence[BaseModel]) -> None:
    print_lines(json.dumps([value.model_dump(mode="json") for value in values], ensure_ascii=False, indent=2))


COMMANDS = (learn,)
