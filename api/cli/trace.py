"""`wellread trace`: what was done for a question, step by step."""

from __future__ import annotations

import click

from api.cli.output import print_lines, terminal


@click.command()
@click.argument("question_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as the API gives it.")
def trace(question_id: str, as_json: bool) -> None:
    """Show every step of a question: queries, hits with all scores, pages, times and cost."""
    import json

    from api.cli.connect import open_client
    from api.cli.views.trace import trace_lines
    from api.schemas.records import StepOut

    with open_client() as client:
        steps = client.trace(question_id)
    if as_json:
        print_lines(json.dumps(steps, indent=2, ensure_ascii=False))
    else:
        print_lines(*trace_lines([StepOut.model_validate(step) for step in steps], terminal()))


COMMANDS = (trace,)
