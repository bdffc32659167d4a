"""Many questions: those of a file are asked and their answers written; others are listed, exported and changed.

A file is asked in order, at most :data:`MOST_OPEN` of its questions at a time. The answers so far stand in ``OUT.part``
until all are there, so that a run that broke off goes on where it was: the same command again.
"""

import csv
import hashlib
import io
import json
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from api.cli.connect import collection, connected, open_client
from api.cli.output import AS_JSON, CommandFailed, WithFlags, notify, print_found, print_lines, progress_line, terminal
from api.cli.width import clean, counted, cut, when
from domain import FINAL

if TYPE_CHECKING:
    from wellread import Client

#: of a file
MOST_LINES = 100_000
#: questions of a file that are open at a time
MOST_OPEN = 2_000
#: questions that one request asks, and that one asks about
_ASKED, _READ = 100, 100
#: seconds between two looks, and seconds that a server may be away
_EVERY_S, _AWAY_S = 0.5, 600.0
#: problems that pass: the rest is asked later, after at most so many seconds
_FULL, _LONGEST_S = ("too-many-open", "no-room", "quota-spent", "database-error", "redis-away"), 60.0
_COLLECTION = "collection: a file is asked in one; name it with --collection."
#: lines that could not be asked, of which the terminal is told
_SHOWN = 10
_PAST = {"cancel": "cancelled", "replay": "replayed", "delete": "deleted"}
_FILTERS = "domain.options:QuestionFilter"


@dataclass
class Line:
    """A question of the file, and what has become of it."""

    number: int
    body: dict[str, Any] = field(default_factory=dict)
    error: str = ""  #: why it is not asked
    question_id: str = ""
    answer: Mapping[str, Any] | None = None

    def written(self) -> dict[str, Any]:
        """Return its line in the output."""
        own = {"line": self.number, "id": self.body.get("id"), "question": self.body.get("question")}
        answer = {name: value for name, value in (self.answer or {}).items() if name != "id"}
        error = {"error": self.error} if self.error else {}
        return own | {"question_id": self.question_id or None} | answer | error

    @property
    def is_done(self) -> bool:
        """Return whether there is nothing to wait for."""
        return bool(self.error) or self.answer is not None


def ask_file(file: Path, out: Path, terms: Mapping[str, Any]) -> bool:
    """Ask the questions of a file and write their answers; return whether all could be asked. Raises CommandFailed."""
    if out.exists():
        raise CommandFailed(f"{out} is there already: name another file, or remove it to ask the questions again.")
    part = out.with_name(out.name + ".part")
    lines = read_lines(file)
    run, done = _begun(part, file, terms)
    with connected() as client, part.open("a", encoding="utf-8") as written:
        outcomes = Counter(done)
        waiting = deque(lines[len(done) :])
        for line in answered(client, waiting, terms, run["run"], len(lines)):
            written.write(json.dumps(line.written(), ensure_ascii=False) + "\n")
            written.flush()
            outcomes[_outcome(line.written())] += 1
            if line.error and outcomes["not asked"] <= _SHOWN:
                notify(f"line {line.number}: {line.error}")
    _finish(part, out)
    print_lines(f"{out}: " + ", ".join(f"{number:,} {name}" for name, number in outcomes.most_common()) + ".")
    return not outcomes["not asked"]


def read_lines(file: Path) -> list[Line]:
    """Return the lines of a file of questions: JSON Lines, or CSV by its suffix. Raises CommandFailed."""
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailed(f"{file} cannot be read: {error}") from error
    read = _read_csv if file.suffix.lower() == ".csv" else _read_jsonl
    lines = []
    for line in read(text):
        lines.append(line)
        if len(lines) > MOST_LINES:
            raise CommandFailed(f"{file} has more than {MOST_LINES:,} questions: cut it into several files.")
    if not lines:
        raise CommandFailed(f"{file} has no question.")
    return lines


def _read_jsonl(text: str) -> Iterator[Line]:
    for number, written in enumerate(text.split("\n"), start=1):
        if not written.strip():
            continue
        try:
            body = json.loads(written)
        except ValueError as error:
            yield Line(number, error=f"it is not JSON: {error}")
            continue
        if isinstance(body, str):
            body = {"question": body}
        if not isinstance(body, dict):
            yield Line(number, error="it is neither an object with a `question` nor a text.")
        else:
            yield Line(number, body, _COLLECTION if "collection" in body else "")


def _read_csv(text: str) -> Iterator[Line]:
    """Yield the rows: a column with the name of an option sets that, each other one is metadata."""
    from domain.options import QuestionRequest, options_of

    kinds = {option.name: option.schema["type"] for option in options_of(QuestionRequest)} | {"question": "string"}
    table = csv.DictReader(io.StringIO(text, newline=""), restkey="")
    if "question" not in (table.fieldnames or ()):
        raise CommandFailed("The first row must name the columns, and one of them `question`.")
    for row in table:
        body: dict[str, Any] = {}
        error = "it has more cells than there are columns." if row.pop("", None) else ""
        for name, cell in row.items():
            kind = kinds.get(name)
            if not cell:
                continue
            if kind is None:
                body.setdefault("metadata", {})[name] = cell
                continue
            try:
                body[name] = cell if kind == "string" else cell.split() if kind == "array" else json.loads(cell)
            except ValueError:
                error = f"{name}: {cell[:40]!r} is not of the type {kind}."
            if kind == "object" and not isinstance(body.get(name), dict):
                error = f"{name}: {cell[:40]!r} is not a JSON object."
                break
        yield Line(table.line_num, body, error or (_COLLECTION if "collection" in body else ""))


def _begun(part: Path, file: Path, terms: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Return what names this run, and the outcomes of the lines that are answered already; raises CommandFailed."""
    asked = json.dumps({"collection": collection(), **terms}, sort_keys=True, default=str).encode()
    own = {name: hashlib.sha256(data).hexdigest() for name, data in (("file", file.read_bytes()), ("options", asked))}
    lines = part.read_bytes().split(b"\n")[:-1] if part.exists() else []  # what follows the last break was cut off
    if not lines:
        run = {"run": uuid.uuid4().hex, **own}
        part.write_text(json.dumps(run) + "\n")
        return run, []
    run = json.loads(lines[0])
    if own.items() - run.items():
        raise CommandFailed(
            f"{part} is of another file of questions, or of other options: remove it, or name another --out."
        )
    part.write_bytes(b"".join(line + b"\n" for line in lines))
    return run, [_outcome(json.loads(line)) for line in lines[1:]]


def _outcome(written: Mapping[str, Any]) -> str:
    if not written.get("question_id"):
        return "not asked"
    return written.get("outcome") or str(written.get("status") or "").lower().replace("_", " ")


def answered(
    client: "Client",
    waiting: deque[Line],
    terms: Mapping[str, Any],
    run: str,
    total: int,
    *,
    most_open: int = MOST_OPEN,
) -> Iterator[Line]:
    """Ask the lines, of which at most so many are open at a time, and yield each in its order once it has ended."""
    show, began, yielded = progress_line(), time.monotonic(), total - len(waiting)
    before, is_open, next_at = yielded, deque[Line](), 0.0
    while waiting or is_open:
        if waiting and len(is_open) < most_open and time.monotonic() >= next_at:
            some = [waiting.popleft() for _ in range(min(_ASKED, len(waiting), most_open - len(is_open)))]
            asked, retry_s = _ask(client, some, terms, run)
            waiting.extendleft(reversed(some[asked:]))
            is_open.extend(some[:asked])
            next_at = time.monotonic() + retry_s
        unknown = [line for line in is_open if not line.is_done]
        for at in range(0, len(unknown), _READ):
            _look(client, unknown[at : at + _READ])
        while is_open and is_open[0].is_done:
            yielded += 1
            yield is_open.popleft()
        rate = (yielded - before) / max(0.001, time.monotonic() - began)
        left = f", {(total - yielded) / rate / 60:,.0f} min left" if rate else ""
        show(f"{yielded:,} of {total:,} questions, {rate:.1f} a second{left}", yielded == total)
        if is_open and (not waiting or len(is_open) >= most_open or time.monotonic() < next_at):
            time.sleep(_EVERY_S)
    show("", True)


def _ask(client: "Client", lines: list[Line], terms: Mapping[str, Any], run: str) -> tuple[int, float]:
    """Ask the lines; return how many there was room for, and the seconds until there may be for the next."""
    from domain.options import BATCH_DEADLINE_S

    good = [line for line in lines if not line.error]
    # the last of thousands waits long until it is its turn
    bodies = [{"deadline": BATCH_DEADLINE_S, **terms, **line.body} for line in good]
    for line, body in zip(good, bodies, strict=True):
        if body.get("id") is None:
            body["id"] = f"{run}-{line.number}"
    if not good:
        return len(lines), 0.0
    came = _again(lambda: client.submit_many(bodies))
    for line, item in zip(good, came.questions, strict=True):
        line.question_id = item.question_id or ""
        if item.problem and item.problem["type"] in _FULL:
            return lines.index(line), min(float(came.retry_after_s or 1), _LONGEST_S)
        if item.problem:
            line.error = " ".join(f"{item.problem[part]}".rstrip(".") + "." for part in ("detail", "what_to_do"))
    return len(lines), 0.0


def _look(client: "Client", lines: list[Line]) -> None:
    ids = sorted({line.question_id for line in lines})
    sent = _again(lambda: client.export_questions(id=ids)).split("\n")
    found = {each["id"]: each for each in map(json.loads, filter(None, sent))}
    for line in lines:
        answer = found.get(line.question_id)
        if answer is None:
            line.error = "it was deleted before it was answered."
        elif answer["status"] in FINAL:
            line.answer = answer


def _again(call: Callable[[], Any]) -> Any:
    """Return what a call returns, which is made again while the server is away or has no room."""
    from wellread import ApiUnreachable, Refused

    until = time.monotonic() + _AWAY_S
    while True:
        try:
            return call()
        except (ApiUnreachable, Refused) as error:
            is_passing = isinstance(error, ApiUnreachable) or error.status in (429, 500, 502, 503, 504)
            if not is_passing or time.monotonic() > until:
                raise
            wait_s = min(float(getattr(error, "retry_after_s", None) or 2.0), 30.0)
            notify(f"{error} Trying again in {wait_s:g} s.")
            time.sleep(wait_s)


def _finish(part: Path, out: Path) -> None:
    """Write what was answered in the form that the output's suffix names, in one step."""
    lines = part.read_text("utf-8").split("\n")[1:-1]
    new = out.with_name(out.name + ".new")
    if out.suffix.lower() == ".csv":
        from store.questions.listing import cells_of

        rows = [cells_of(json.loads(line)) for line in lines]
        columns = dict.fromkeys(name for row in rows for name in row)
        with new.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(columns))
            table.writeheader()
            table.writerows(rows)
    else:
        new.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    new.replace(out)
    part.unlink()


@click.group()
def questions() -> None:
    """List, export, cancel, replay and delete questions by filters.

    `wellread questions list --unanswered` shows what the knowledge base lacks.
    """


@questions.command(name="list", cls=WithFlags, body=_FILTERS)
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1_000), help="At most so many.")
@AS_JSON
def list_all(limit: int, as_json: bool, **filters: Any) -> None:
    """List the questions that the filters mean, newest first."""
    with open_client() as client:
        part = client.questions(limit=limit, **_given(filters))
    lines = []
    for each in part.questions:
        state = each.outcome or each.status.lower()
        sure = f" {each.confidence:.2f}" if each.confidence is not None else ""
        lines.append(
            cut(f"{each.id}  {when(each.created_at)}  {state + sure:<14} {clean(each.question)}", terminal().width)
        )
    if part.after:
        lines.append(f"There are more: raise --limit, or add --before {part.questions[-1].created_at.isoformat()}")
    print_found([asdict(each) for each in part.questions], lines or ["No question is meant."], as_json=as_json)


@questions.command(cls=WithFlags, body=_FILTERS)
@click.option("--format", "form", default="jsonl", show_default=True, type=click.Choice(["jsonl", "csv"]), help="Form.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="The file to write; default: stdout.")
def export(form: str, out: Path | None, **filters: Any) -> None:
    """Write the questions that the filters mean, with their answers and citations, newest first."""
    with open_client() as client:
        text = client.export_questions(form, **_given(filters))  # type: ignore[arg-type]
    if out is None:
        click.echo(text, nl=False)
    else:
        out.write_text(text, "utf-8", newline="")


def change_all(change: Callable[..., Any], noun: str, verb: str, *, dry_run: bool, yes: bool) -> None:
    """Call what changes a part of all that is meant until none is left; ask before, and say how many were changed."""
    meant = change(dry_run=True).left
    if dry_run or not meant:
        print_lines(f"{counted(meant, noun)} meant." if meant else f"No {noun} is meant.")
        return
    if not yes:
        click.confirm(f"{verb.capitalize()} {counted(meant, noun)}?", abort=True, err=True)
    done = 0
    while True:
        came = _again(change)
        done += came.done
        if not came.left:
            break
        notify(f"{done:,} done, {came.left:,} left.")
        time.sleep(float(getattr(came, "retry_after_s", None) or 0))
    print_lines(f"{counted(done, noun)} {_PAST[verb]}.")


def _changes(name: str, help_: str, needs_workers: bool) -> None:
    @questions.command(name=name, cls=WithFlags, body=_FILTERS, help=help_)
    @click.option("--dry-run", is_flag=True, help="Only count them.")
    @click.option("--yes", is_flag=True, help="Do not ask before it.")
    def change(dry_run: bool, yes: bool, **filters: Any) -> None:
        given = _given(filters)
        if name == "replay" and given:  # what fails again meanwhile is left alone
            given.setdefault("ended_before", datetime.now(UTC).isoformat())
        with connected() if needs_workers else open_client() as client:
            call = partial(getattr(client, f"{name}_questions"), **given)
            change_all(call, "question", name, dry_run=dry_run, yes=yes)


_changes("cancel", "Stop the open questions that the filters mean.", False)
_changes("replay", "Run those again that failed, ran out of time or were cancelled.", False)
_changes("delete", "Delete the questions that the filters mean, with their answers and traces.", True)


def _given(filters: Mapping[str, Any]) -> Any:
    from api.cli.flags import given

    return {name: value for name, value in given(filters).items() if value is not False}
