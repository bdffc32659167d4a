"""Write what a set was asked: figures and replies as JSON, tables as Markdown, and the published tables."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Final, Literal

from pydantic import TypeAdapter, ValidationError

from domain.errors import WellreadError
from evals.asked.figures import crawl_figures, curve_of, failures_of, figures_of, rows_by
from evals.asked.grade import FAILURES, Graded, Reply
from evals.modes import Figures
from evals.report.floors import PINNED
from evals.report.tables import flat, rounded, table

_ROOT = Path(__file__).parents[2]
#: the pages that hold the published tables: of `manuals` and of all sets together; of each other set; with a model
PUBLISHED = (
    _ROOT / "evals" / "README.md",
    _ROOT / "evals" / "NOTES.md",
    _ROOT / "evals" / "model" / "README.md",
)
#: what the floors are pinned under
FLOORS = PINNED.with_name("asked_floors.json")
#: "crawled": asked of an empty knowledge base that may read the site
Part = Literal["asked", "crawled"]
_FIGURES: Final[dict[Part, Callable[[Sequence[Graded]], Figures]]] = {"asked": figures_of, "crawled": crawl_figures}
_FIELDS = {"kind": "kind", "lang": "language", "site": "site"}
_CROSSING = "of the wrong answers, those with a confidence of .8 or more"


class ReportError(WellreadError):
    """The file holds no replies, or the page has no place for the tables."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the questions of a set got."""

    name: str  #: of the set
    how: str  #: "over HTTP" or "in one process"
    graded: Sequence[Graded]
    crawled: Sequence[Graded] = field(default=())

    @property
    def parts(self) -> dict[Part, Sequence[Graded]]:
        """Return the questions by part, without a part that was not asked."""
        parts: dict[Part, Sequence[Graded]] = {"asked": self.graded, "crawled": self.crawled}
        return {part: graded for part, graded in parts.items() if graded}

    @property
    def figures(self) -> Figures:
        """Return the figures, by part."""
        return {part: _FIGURES[part](graded) for part, graded in self.parts.items()}

    @property
    def numbers(self) -> dict[str, float | None]:
        """Return the figures by the names that floors use."""
        return flat(self.figures)


def tables(asked: Asked) -> str:
    """Return the tables of all parts."""
    return "\n\n".join(part_tables(part, graded) for part, graded in asked.parts.items())


def part_tables(part: Part, graded: Sequence[Graded]) -> str:
    """Return the tables of a part: figures and failures, of "asked" the curve and counts by kind, language and site."""
    fields = _FIELDS if part == "asked" else {}
    counts = [f"by {of}\n\n{table(rows_by(graded, name))}" for name, of in fields.items()]
    curve = [f"answered from this confidence on\n\n{table(curve_of(graded))}"] if part == "asked" else []
    return "\n\n".join([f"{part}\n\n{table(_FIGURES[part](graded))}", *curve, _failures(graded), *counts])


def save_report(asked: Asked, folder: Path) -> list[Path]:
    """Write asked-SET.json, with every reply, and asked-SET.md."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "how": asked.how,
        "figures": rounded(asked.figures),
        "failures": {part: failures_of(graded) for part, graded in asked.parts.items()},
        "asked": [_saved(one) for one in asked.graded],
        "crawled": [_saved(one) for one in asked.crawled],
    }
    texts = {
        f"asked-{asked.name}.json": json.dumps(content, indent=1, ensure_ascii=False) + "\n",
        f"asked-{asked.name}.md": f"# {asked.name}, {asked.how}\n\n{tables(asked)}\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    return [folder / name for name in texts]


def read_replies(file: Path) -> tuple[str, list[Reply], list[Reply]]:
    """Return how the questions of a saved report were asked, and the replies, asked and crawled."""
    try:
        content = json.loads(file.read_text("utf-8"))
        lists = [TypeAdapter(list[Reply]).validate_python(content[part]) for part in ("asked", "crawled")]
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        raise ReportError(f"{file} holds no replies: {error}") from error
    return str(content.get("how", "")), lists[0], lists[1]


def publish(asked: Asked, today: date, pages: Sequence[Path] = PUBLISHED) -> None:
    """Write the tables of each part between its marks; raise ReportError if no page has them."""
    for part, graded in asked.parts.items():
        name = asked.name if part == "asked" else f"{asked.name}, {part}"
        publish_text(name, f"On {today.isoformat()}, {asked.how}.\n\n{part_tables(part, graded)}\n", pages)


def publish_text(name: str, text: str, pages: Sequence[Path] = PUBLISHED) -> None:
    """Write a text between the marks of that name; raise ReportError if no page has them."""
    mark = f"<!-- asked: {name} -->"
    part = re.compile(rf"({re.escape(mark)}\n).*?(<!-- end -->)", re.DOTALL)
    for page in pages:
        if part.search(before := page.read_text("utf-8")):
            page.write_text(part.sub(lambda match: f"{match[1]}{text}{match[2]}", before), "utf-8")
            return
    where = " or ".join(map(str, pages))
    raise ReportError(f"{where} has no lines {mark} and <!-- end --> between which the tables are written.")


def _failures(graded: Sequence[Graded]) -> str:
    meanings = FAILURES | {"sure_and_wrong": _CROSSING}
    rows = [f"| {count} | {meanings[name]} |" for name, count in failures_of(graded).items()]
    return "\n".join(["what went wrong\n", "| questions | |", "| ---: | --- |", *rows])


def _saved(one: Graded) -> dict[str, object]:
    """Return a reply with its question and its grade; the reply's fields alone are read again."""
    question = {"site": one.question.site, "kind": one.question.kind, "question": one.question.question}
    grades = {"outcome": one.outcome, "failure": one.failure, "gold_rank": one.gold_rank}
    return question | grades | asdict(one.reply)
