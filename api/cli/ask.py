"""The commands `ask`, `search`, `demo` and `trace`: ask a question or search, and show what is found and how."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from api.cli.connect import connected, open_client
from api.cli.output import (
    AS_JSON,
    EXIT_NOT_KNOWN,
    OWN,
    WithFlags,
    exit_code,
    notify,
    print_found,
    print_lines,
    print_progress,
    terminal,
)
from api.cli.sources import say_unread
from api.cli.width import Style, clean, cut, wrap

if TYPE_CHECKING:
    from store.questions.trace import Step
    from wellread import FoundPassage

#: seconds that `ask` waits
WAIT_S = 180.0
#: lines shown of one passage
_MOST_LINES = 6
_INDENT = " " * 11


@click.command(cls=WithFlags, body="domain.options:Asked")
@click.argument("question", required=False)
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Ask the questions of this file instead: JSON Lines or CSV, at most 100,000.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --file: write their answers here, as JSON Lines or CSV. After a break, the same command goes on.",
)
@OWN
@click.option("--json", "as_json", is_flag=True, help="Print the API's JSON record.")
@click.option(
    "--wait", type=click.FloatRange(min=1), help=f"Seconds to wait; default: {WAIT_S:g}, or with --batch not at all."
)
@click.option(
    "--chat",
    is_flag=True,
    help="Keep asking: each question follows the one before; `= QUESTION` corrects the last one; an empty line ends.",
)
def ask(
    question: str | None,
    file: Path | None,
    out: Path | None,
    own: bool,
    as_json: bool,
    wait: float | None,
    chat: bool,
    **options: Any,
) -> None:
    """Ask a question and watch it being answered.

    Progress goes to stderr, the answer to stdout; with --batch, unless you --wait or --chat, only the question's id.
    Exit codes: 0 answered, or accepted with --batch; 4 unsure; 3 not known or out of time; 1 an error.
    """
    from api.cli import answer, ask_flow
    from api.cli.flags import given

    if (question is None) == (file is None) or (file is None) != (out is None):
        raise click.UsageError("Give either a QUESTION, or --file with --out.")
    if file and out:
        from api.cli.questions import ask_file

        click.get_current_context().exit(0 if ask_file(file, out, given(options)) else 1)
    assert question is not None
    if own and not options["sites"]:
        raise click.UsageError("--own is for the sites to read: name them with --site.")
    asked = ask_flow.Asking(question=question, terms=given(options), own=own, wait_s=wait or WAIT_S)
    with connected() as client:
        if options["batch"] and wait is None and not chat:
            ask_flow.check(asked)
            question_id = ask_flow.submit(client, asked)
            print_found(client.get(question_id).json if as_json else None, (question_id,), as_json=as_json)
            notify(
                f"The answer may take a day. Keep Wellread running; `wellread export question {question_id}` shows it."
            )
            return
        while True:
            ask_flow.check(asked)
            record = ask_flow.ask(client, asked, print_progress)
            print_found(record.json, ("", *answer.record_lines(record, terminal())), as_json=as_json)
            if not as_json and not chat:
                notify(
                    "",
                    f"Follow up with `--after {record.id}`.",
                    f"Full quotes: `wellread export question {record.id}`.",
                    f"Trace: `wellread trace {record.id}`.",
                )
            if own and exit_code(record):
                say_unread(client, options["sites"])
            following = click.prompt("", default="", show_default=False, prompt_suffix="> ", err=True) if chat else ""
            if not following.strip():
                break
            asked = ask_flow.next_question(asked, following, record)
    click.get_current_context().exit(exit_code(record))


@click.command(cls=WithFlags, body="domain.options:SearchRequest")
@click.argument("query")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 100), help="At most this many passages.")
@AS_JSON
def search(query: str, limit: int, as_json: bool, **filters: Any) -> None:
    """Show the passages that match QUERY best, without an answer or a crawl.

    Exit codes: 0 some were found, 3 none, 1 an error.
    """
    from api.cli.flags import given

    wanted: Any = given(filters)
    with open_client() as client:
        found = client.search(query, limit=limit, **wanted)
    print_found([passage.json for passage in found], passages_lines(found, terminal()), as_json=as_json)
    if not found:
        click.get_current_context().exit(EXIT_NOT_KNOWN)


@click.command()
def demo() -> None:
    """Show the main flow on a bundled site: no key, no server, no internet; your data is not touched."""
    from api.cli.demo.run import run

    if not run(print_lines, terminal()):
        click.get_current_context().exit(1)


@click.command()
@click.argument("question_id", metavar="ID")
@click.option("--replay", is_flag=True, help="Look it up again on what is known now, and show what differs.")
@AS_JSON
def trace(question_id: str, replay: bool, as_json: bool) -> None:
    """Show every step of a question: queries, hits with all scores, pages, times and cost.

    --replay stores nothing and asks no model.
    """
    from store.questions.trace import Step
    from wellread.responses import to_value

    with open_client() as client:
        if replay:
            found = client.replay_trace(question_id)
            print_found(found, replayed_lines(found, terminal()), as_json=as_json)
            return
        steps = client.trace(question_id)
    lines = trace_lines([to_value(Step, step) for step in steps], terminal())
    print_found(steps, lines, as_json=as_json)


def passages_lines(found: "Sequence[FoundPassage]", style: Style) -> list[str]:
    """Return each passage with its page, best first; or that there is none."""
    if not found:
        return ["No passage matches: read pages with `wellread read`, or search with fewer filters."]
    lines = []
    for passage in found:
        heading = cut(f"{passage.rank}. {clean(passage.title or passage.url)}", style.width)
        first, _, rest = passage.text.partition("\n")  # a heading that the title ends with is shown above it already
        is_shown = first.strip().casefold() == passage.title.rpartition(" › ")[2].strip().casefold()
        text = wrap(rest.lstrip("\n") if is_shown and rest.strip() else passage.text, style.width - 3)
        shown = text[:_MOST_LINES] + (["…"] if len(text) > _MOST_LINES else [])
        lines += [style.paint(heading, bold=True), *(f"   {line}" for line in shown), f"   {clean(passage.url)}", ""]
    return lines


def trace_lines(steps: "Sequence[Step]", style: Style) -> list[str]:
    """Show every step with its time since the first, what it looked for, found and cost."""
    if not steps:
        return ["No step is finished yet."]
    began = steps[0].started_at
    return [line for step in steps for line in _step_lines(step, (step.started_at - began).total_seconds(), style)]


def replayed_lines(found: Mapping[str, Any], style: Style) -> Iterator[str]:
    """Show what a lookup that was run again found differently."""
    for each in found["passes"]:
        before, now = each["before"], each["now"]
        yield style.paint(f"{each['step']}: {len(before['top'])} → {len(now['top'])} hits", bold=True)
        if before["queries"] != now["queries"]:
            yield from style.wrap(
                f"queries: {' | '.join(before['queries'])} → {' | '.join(now['queries'])}", indent="  "
            )
        for name, colour in (("gained", "green"), ("lost", "red"), ("moved", "yellow")):
            for hit in each[name]:
                rank = f"{hit['was']} → {hit['rank']}" if "was" in hit else hit["rank"]
                yield f"  {style.paint(f'{name:<7}', fg=colour)} {rank}. {clean(hit['url'])} (passage {hit['passage']})"
        was, verdict = before.get("verdict") or {}, now["verdict"]
        word = {True: "sufficient", False: "not sufficient", None: "?"}
        yield (
            f"  verdict: {word[was.get('sufficient')]} {was.get('confidence') or 0:.2f} → "
            f"{word[verdict['sufficient']]} {verdict['confidence']:.2f}"
        )
        times = (sum(seconds.values()) for seconds in (before.get("seconds") or {}, now["seconds"]))
        yield "  seconds: " + " → ".join(f"{spent:.3f}" for spent in times)
    yield style.paint(f"outcome: {found['outcome_before'] or 'none'} → {found['outcome_now']}", bold=True)
    same = (found["answer_before"] or "").strip() == (found["answer_now"] or "").strip()
    if same:
        yield "the answer is the same"
    else:
        yield from style.wrap(clean(found["answer_before"] or "none"), first="- ", indent="  ")
        yield from style.wrap(clean(found["answer_now"] or "none"), first="+ ", indent="  ")
    if found["composer_before"] not in (None, "extractive", "abstention"):
        yield f"  (written by {clean(found['composer_before'])}; now composed without a model)"


def _step_lines(step: "Step", at_s: float, style: Style) -> Iterator[str]:
    detail, first = step.detail, f"{at_s:7.2f} s  {clean(step.name):<9} "
    cost, spent = detail.get("cost") or {}, ""
    if cost.get("usd") or cost.get("unpriced"):
        price = f"${cost['usd']:.4f} " if cost.get("usd") else ""
        spent = f", {price}({cost.get('input_tokens', 0):,} + {cost.get('output_tokens', 0):,} tokens)"
    head = f"{step.outcome} in {step.seconds:.2f} s{spent} {detail.get('url') or ''}"
    yield from style.wrap(head, first=first, indent=_INDENT, bold=True)
    for line in _detail_lines(detail):
        yield from style.wrap(line, first=_INDENT, indent=_INDENT + "  ")


def _detail_lines(detail: Mapping[str, Any]) -> Iterator[str]:
    counts = {found["query"]: found["hits"] for found in detail.get("before_fusion") or ()}
    if queries := detail.get("queries"):
        found = (f"{query} ({counts[query]} hits)" if query in counts else str(query) for query in queries)
        yield f"queries: {' | '.join(found)}"
    if detail.get("not_reranked"):
        yield clean(str(detail["not_reranked"]))
    for at, hit in enumerate(detail.get("top") or (), start=1):
        scores = [f"{hit.get('scale', 'score')} {hit['score']:.3f}"]
        scores += [f"{name} {hit[name]:.3f}" for name in ("similarity", "bm25") if hit.get(name) is not None]
        scores += [f"was {hit['original_rank']}"] if hit.get("original_rank") else []
        scores += [f"via {hit['via']}"] if hit.get("via") else []
        yield f"{hit.get('rank', at)}. {', '.join(scores)}  {hit.get('url', '')}"
    if seconds := detail.get("seconds"):
        yield "seconds: " + ", ".join(f"{name} {spent:.3f}" for name, spent in seconds.items())
    if verdict := detail.get("verdict"):
        word = "sufficient" if verdict.get("sufficient") else "not sufficient"
        judge = verdict.get("judge") or "?"
        yield f"{word}, {verdict.get('confidence', 0):.2f} by {judge}: {verdict.get('reason', '')}"
        if verdict.get("missing"):
            yield f"missing: {', '.join(verdict['missing'])}"
    for name, engine in (detail.get("engines") or {}).items():
        failed = [engine["error"]] if engine.get("error") else []
        asked = [] if "resting_s" in engine else [f"{engine.get('links', 0)} links in {engine.get('seconds', 0):.2f} s"]
        yield f"engine {name}: {', '.join((*asked, *failed))}"
    yield from (f"chosen: {url}" for url in detail.get("candidates") or ())
    if detail.get("error"):
        yield f"the model failed: {clean(str(detail['error']))}"
    if "bytes" in detail and "url" in detail:
        why = f", {detail['reason']}" if detail.get("reason") else ""
        found_by = f"found by {detail.get('origin', '?')}, score {detail.get('score', 0):.2f}"
        yield f"{detail['bytes']:,} bytes, {found_by}{why}"
