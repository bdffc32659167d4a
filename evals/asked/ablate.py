"""Count what each family of language rules earns: ask every question with it and without it.

``python -m evals.asked.ablate SET… --out FOLDER`` asks sets in this process, reads each passage once, and asks
again with one family switched off at a time. A family *acts* on a question whose answer, confidence or outcome changes;
it *helps* where the question is right with it only, and *harms* where it is right without it only. ``--table`` adds up
what the runs wrote. ``--stored FOLDER`` asks nothing again: it judges the hits of lookups that were stored there as
SET.pickle, and composes the answers, which counts only what judging and composing do with a family.
"""

from __future__ import annotations

import functools
import gc
import json
import pickle
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click
import structlog

from domain import Reading
from evals.asked.grade import Graded, grade_all
from evals.asked.packages import install_packages
from evals.asked.questions import Question, QuestionSet, open_question_set
from evals.asked.quick import addresses_of, ask_opened, earlier_of, opened, reply_of, to_ask
from evals.asked.report import Asked, save_report
from evals.report.tables import table
from pipeline.answering.compose import compose, compose_as_judged
from pipeline.answering.quotes import Quote
from pipeline.ask import LookupResult
from pipeline.judging.evidence import gather
from pipeline.judging.judge import calibrated_judge
from pipeline.judging.reading import Reads
from pipeline.question.analysis import analyse_question
from store.embedders import open_embedder
from workers.questions.transitions import after_first_pass, after_second_pass
from workers.services import Services
from workers.settings import load

#: a family → the functions that it is, each with what does nothing in its place
FAMILIES: Final[Mapping[str, Mapping[str, Callable[..., Any]]]] = {
    "kind of answer": {"pipeline.question.analysis:answer_type_of": lambda question: "any"},
    "wishes for lists": {
        "pipeline.question.analysis:ask_for_list": lambda text: text,
        "pipeline.question.analysis:asks_for_all": lambda question: False,
    },
    "entities": {"pipeline.question.entities:find_entities": lambda question, lang="en": ()},
    "type of question": {"pipeline.question.analysis:question_type_of": lambda question, lang="en": "general"},
    "complexity": {"pipeline.question.analysis:suggested_k": lambda complexity: 7},
    "variants": {"pipeline.question.variants:make_variants": lambda analysis, count, order=(): ()},
    "names that lead on": {"pipeline.retrieval.multi_hop:expand": lambda analysis, vectors, hits, **_: list(hits)},
    "facts": {"pipeline.retrieval.multi_hop:find_facts": lambda analysis, facts: []},
    "joined pages": {"pipeline.answering.compose:join_sides": lambda analysis, first, ranked: [first]},
    "several pages first": {"pipeline.retrieval.context:wants_several_pages": lambda analysis: False},
    "related words": {
        "text.related_words:find_related": lambda terms, vocabulary, lang: {
            term: {term: 1.0} if term in vocabulary else {} for term in terms
        }
    },
    "context of a quote": {
        "pipeline.answering.quotes:extend": lambda read, spans, **_: Quote(span=read.span, sentence=read.span)
    },
    "follow-ups": {"pipeline.question.follow_up:understand": lambda question, turns, lang="": question},
    "words translated": {"pipeline.judging.reading:compare_words": lambda embedder, analysis, hits: list(hits)},
    "enough hits": {
        "pipeline.judging.judge:cut_off_by_judge": lambda evidence, *, strategy, judge, k: import_module(
            "pipeline.judging.judge"
        ).keep_all(evidence, strategy=strategy, judge=judge, k=k)
    },
    "whole page": {"pipeline.answering.compose:topic_for_page": lambda text: None},
    "what announces": {"pipeline.judging.sentences:announced_by": lambda span, following: None},
}
_PACKAGES: Final = ("pipeline", "text", "workers", "store", "evals")


class RememberingReader:
    """A reader that reads each passage for each question once."""

    def __init__(self, reader: Reads) -> None:
        self._reader = reader
        self._known: dict[tuple[str, tuple[str, str]], Reading] = {}

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> Sequence[Reading] | None:
        """Return the readings of passages, of the new ones the reader's."""
        new = [passage for passage in dict.fromkeys(passages) if (question, passage) not in self._known]
        if new:
            read = self._reader.read(question, new)
            if read is None:
                return None
            self._known |= {(question, passage): reading for passage, reading in zip(new, read, strict=True)}
        return [self._known[question, passage] for passage in passages]


@contextmanager
def without(family: str) -> Iterator[None]:
    """Have a family do nothing, wherever it is called from."""
    changed: list[tuple[Any, str, Any]] = []
    for name, nothing in FAMILIES.get(family, {}).items():
        module, _, function = name.partition(":")
        own = getattr(import_module(module), function)
        for each in [each for key, each in sys.modules.items() if key.split(".")[0] in _PACKAGES]:
            for attribute in [key for key, value in vars(each).items() if value is own]:
                changed.append((each, attribute, own))
                setattr(each, attribute, nothing)
    _forget()
    try:
        yield
    finally:
        for each, attribute, own in changed:
            setattr(each, attribute, own)
        _forget()


def _forget() -> None:
    """Clear every cache of the product: what it holds may have been made with the family."""
    for each in gc.get_objects():
        if isinstance(each, functools._lru_cache_wrapper) and str(each.__module__).split(".")[0] in _PACKAGES:
            each.cache_clear()


def count(graded: Sequence[Graded], ablated: Sequence[Graded]) -> dict[str, dict[str, int]]:
    """Return for each language of questions, and for all, on how many the family acts, helps and harms."""
    rows: dict[str, Counter[str]] = {}
    for one, other in zip(graded, ablated, strict=True):
        same = (one.reply.answer, one.reply.status) == (other.reply.answer, other.reply.status)
        acts = not same or abs(one.reply.confidence - other.reply.confidence) > 1e-6
        for row in (one.question.lang, "all"):
            counts = rows.setdefault(row, Counter())
            counts["questions"] += 1
            counts["acts"] += acts
            counts["helps"] += one.outcome == "right" != other.outcome
            counts["harms"] += other.outcome == "right" != one.outcome
            counts["saves wrong"] += other.outcome == "wrong" != one.outcome
            counts["makes wrong"] += one.outcome == "wrong" != other.outcome
    return {row: dict(counts) for row, counts in rows.items()}


def replayed(text: str, result: LookupResult) -> LookupResult:
    """Return a stored lookup with its hits judged and its answer composed again."""
    analysis = analyse_question(text, result.analysis.lang)
    judge = calibrated_judge(result.verdict.embedder or "")
    verdict = judge(gather(analysis, result.hits), result.strategy.threshold)
    answer = compose_as_judged(verdict, partial(compose, facts=result.facts), gather(analysis, result.context))
    if answer is None:
        verdict = replace(verdict, sufficient=False)
    return replace(result, analysis=analysis, verdict=verdict, answer=answer)


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("build/evals/ablate"), show_default=True)
@click.option("--family", "families", multiple=True, type=click.Choice(sorted(FAMILIES)), help="Default: all.")
@click.option("--table", "only_table", is_flag=True, help="Ask nothing: add up what the runs wrote.")
@click.option("--stored", type=click.Path(path_type=Path), help="Folder of stored lookups, SET.pickle.")
@click.argument("names", metavar="[SET]...", nargs=-1)
def main(out: Path, families: Sequence[str], only_table: bool, stored: Path | None, names: Sequence[str]) -> None:
    """Ask sets with and without each family of rules."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    out.mkdir(parents=True, exist_ok=True)
    for name in () if only_table else names:
        chosen = families or tuple(FAMILIES)
        counts = _ablated_stored(stored / f"{name}.pickle", chosen) if stored else _ablated(name, chosen, out)
        (out / f"{name}.json").write_text(json.dumps(counts), "utf-8")
    click.echo(_table(out))


def _ablated_stored(file: Path, families: Sequence[str]) -> dict[str, Any]:
    of, rows = pickle.loads(file.read_bytes())  # noqa: S301 - written by an own run
    whole = _replay(of, rows, "")
    return {family: count(whole, _replay(of, rows, family)) for family in families}


def _replay(
    of: QuestionSet, rows: Sequence[tuple[Question, str, LookupResult, LookupResult | None]], family: str
) -> list[Graded]:
    addresses, now = addresses_of(of), datetime.now(UTC)
    with without(family):
        replies = []
        for question, text, first, second in rows:
            asked = to_ask(question, addresses, now)
            result = replayed(text, first)
            move = after_first_pass(asked, result)
            if second is not None:
                result = replayed(text, second)
                move = after_second_pass(asked, result, earlier_of(move))
            replies.append(reply_of(question, addresses, move, result, seconds=0.0))
        return grade_all(replies, of)


def _ablated(name: str, families: Sequence[str], out: Path) -> dict[str, Any]:
    of = open_question_set(name)
    install_packages(of.sites.values())
    settings = load()
    embedder = open_embedder("auto", models_dir=settings.models_dir, threads=1)
    addresses = addresses_of(of)
    with (
        tempfile.TemporaryDirectory(prefix="wellread-ablate-") as folder,
        opened(of, of.questions, embedder, folder=Path(folder), cache=settings.data_dir / "cache") as services,
    ):
        if services.tools.reader is not None:
            vars(services)["tools"] = replace(services.tools, reader=RememberingReader(services.tools.reader))
        whole = _ask(services, of.questions, addresses, of, "")
        save_report(Asked(name=of.name, how="in one process", graded=whole), out / "whole")
        counts = {}
        for family in families:
            counts[family] = count(whole, _ask(services, of.questions, addresses, of, family))
            click.echo(f"{of.name}: {family}: {counts[family]['all']}", err=True)
        return counts


def _ask(
    services: Services, asked: Sequence[Question], addresses: dict[str, str], of: QuestionSet, family: str
) -> list[Graded]:
    with without(family):
        return grade_all([ask_opened(services, question, addresses) for question in asked], of)


def _table(out: Path) -> str:
    sums: dict[str, Counter[str]] = {}
    for file in sorted(out.glob("*.json")):
        for family, rows in json.loads(file.read_text("utf-8")).items():
            for lang, counts in rows.items():
                sums.setdefault(f"{family}, {lang}", Counter()).update(counts)
    return table({row: dict(counts) for row, counts in sums.items()})


if __name__ == "__main__":
    main(prog_name="python -m evals.asked.ablate")
