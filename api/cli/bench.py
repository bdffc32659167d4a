"""The command `bench`: asks questions whose answers are known, and shows how many are right and how sure it was."""

import json
import uuid
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from api.cli.connect import connected
from api.cli.output import WithFlags, print_found, terminal
from api.cli.questions import Line, answered, read_lines
from api.cli.width import Style, clean, cut
from api.operations.bench import GRADES, BadBench, Expected, Graded, compare, grade, read_run, summary

#: fields of a line that say what is right; the others are options of its question, or in a table its metadata
_EXPECTED = ("expected", "url", "unanswerable")
_COLOURS = {"right": "green", "wrong": "red", "failed": "red", "unsure": "yellow", "unknown": "yellow"}


@click.command(cls=WithFlags, body="domain.options:Asked")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--parallel", default=4, show_default=True, type=click.IntRange(1, 1_000), help="Questions open at a time."
)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write each graded question here, as JSON Lines."
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Compare with an earlier run, which --out or --json wrote.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary and each graded question as JSON.")
def bench(file: Path, parallel: int, out: Path | None, baseline: Path | None, as_json: bool, **options: Any) -> None:
    """Ask the questions of FILE and grade the answers.

    FILE is JSON Lines or CSV: `question`, and either `expected` (a text, or a list of alternatives; in CSV between
    bars) or `unanswerable`: true; perhaps the `url` that must be cited, and options of the question. No answer is
    reused. Exit codes: 0; 1 if a question failed or got worse than in the baseline.
    """
    from api.cli.flags import given

    if out and out.exists():
        raise BadBench(f"{out} is there already: name another file.")
    before = read_run(baseline) if baseline else None
    lines, expected = _read(file)
    terms: dict[str, Any] = {"reuse": False} | dict(given(options))
    graded: list[Graded] = []
    with connected() as client, out.open("w", encoding="utf-8") if out else nullcontext() as written:
        for line in answered(client, deque(lines), terms, uuid.uuid4().hex, len(lines), most_open=parallel):
            graded.append(grade(line.written() | {"id": expected[line.number][1]}, expected[line.number][0]))
            if written:
                written.write(json.dumps(asdict(graded[-1]), ensure_ascii=False) + "\n")
                written.flush()
    found = summary(graded) | ({"baseline": compare(graded, before)} if before is not None else {})
    shown = (*_summary_lines(found), *_line_lines(graded, terminal()), *_compared_lines(found, terminal()))
    print_found(found | {"lines": [asdict(one) for one in graded]}, shown, as_json=as_json)
    if found["failed"] or found.get("baseline", {}).get("worse"):
        click.get_current_context().exit(1)


def _read(file: Path) -> tuple[list[Line], dict[int, tuple[Expected, str | None]]]:
    """Return the questions as they are asked, and by their lines what is right and the caller's id; raises BadBench."""
    lines, expected = read_lines(file), dict[int, tuple[Expected, str | None]]()
    for line in lines:
        given = line.body.get("metadata")
        metadata = dict(given) if isinstance(given, dict) else {}
        own = {name: line.body.pop(name, metadata.pop(name, None)) for name in _EXPECTED}
        if file.suffix.lower() == ".csv" and own["expected"]:
            own["expected"] = str(own["expected"]).split("|")
        try:
            if line.error or not line.body.get("question"):
                raise BadBench(line.error or "it has no `question`.")
            if not isinstance(given, dict | None):
                raise BadBench("`metadata` is not an object.")
            expected[line.number] = Expected.of(**own), line.body.pop("id", None)
        except BadBench as error:
            raise BadBench(f"{file}, line {line.number}: {error}") from error
        line.body["metadata"] = {"bench": file.stem} | metadata
    return lines, expected


def _summary_lines(found: Mapping[str, Any]) -> Iterator[str]:
    total = found["questions"]
    for name in GRADES:
        of = f"   of these, {found['unsure_right']} right" if name == "unsure" and found[name] else ""
        yield f"{name:<8} {found[name]:>6}  {found[name] / total:>4.0%}{of}"
    if found["seconds_p50"] is not None:
        yield f"seconds  {found['seconds_p50']:>6.2f}  half of them; 95 %: {found['seconds_p95']:.2f}"
    if found["calibration"]:
        yield from ("", f"{'confidence':<12}{'answers':>8}{'mean':>8}{'right':>8}")
    for tenth in found["calibration"]:
        span = f"{tenth['from']:.1f} to {tenth['from'] + 0.1:.1f}"
        yield f"{span:<12}{tenth['answers']:>8}{tenth['confidence']:>8.2f}{tenth['right']:>8.2f}"


def _line_lines(graded: Sequence[Graded], style: Style) -> Iterator[str]:
    """Yield each question that is not answered rightly, and why."""
    if bad := [one for one in graded if one.grade != "right"]:
        yield ""
    for one in bad:
        said = "it would be right" if one.grade == "unsure" and one.holds else one.why
        text = cut(f"line {one.line}: {clean(one.question)}: {clean(said)}", style.width - 9)
        yield f"{style.paint(f'{one.grade:<8}', fg=_COLOURS[one.grade])} {text}"


def _compared_lines(found: Mapping[str, Any], style: Style) -> Iterator[str]:
    if not (compared := found.get("baseline")):
        return
    was = compared["before"]
    yield from ("", f"compared with the baseline ({compared['compared']:,} questions in both):")
    for name in ("right", "wrong", "unsure", "unknown", "failed", "seconds_p50", "seconds_p95"):
        yield f"{name:<12}{round(was[name] or 0, 2):>8g} → {round(found[name] or 0, 2):g}"
    for name, colour in (("better", "green"), ("worse", "red")):
        for each in compared[name]:
            text = f"line {each['line']}: {clean(each['question'])}: {each['before']} → {each['now']}"
            yield f"{style.paint(f'{name:<8}', fg=colour)} {cut(text, style.width - 9)}"
