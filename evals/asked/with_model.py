"""Ask questions with a language model and without, of the same pages: what the model changes, and what it costs.

The model is one whose replies are stored (``replies``), Claude itself (``claude``) or a server of one's own (its URL).
"""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

from api.operations.bench import plain
from domain.errors import WellreadError
from evals.asked.figures import figures_of
from evals.asked.grade import Graded, Reply, grade_all, is_right
from evals.asked.over_http import Tell, ask_with_and_without, served
from evals.asked.questions import Question, QuestionSet
from evals.model.replay import KEY, Call, ReplayedModel, read_missing
from evals.model.replies import Replies
from evals.modes import Figures

#: where requests without a stored reply are written, below the folder of reports
MISSING = Path("model") / "missing"
#: the names of the requests that the last whole run made
USED = Path("model") / "used.json"
#: a call of this kind is made when the answer is already shown
_AFTERWARDS = "check"


class NoModel(WellreadError):
    """The model that was named cannot be asked; the message says what is missing."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The same questions with a model and without."""

    with_model: Sequence[Graded]
    without: Sequence[Graded]
    calls: Sequence[Call] = ()  #: of a model whose replies are stored

    @property
    def missing(self) -> frozenset[str]:
        """The questions for which a reply is missing: they were answered as if the model had failed."""
        return frozenset(call.question for call in self.calls if call.reply is None)

    @property
    def parts(self) -> dict[str, Compared]:
        """All questions to which every reply is stored, and those of each part of the set."""
        parts = {"all": self._of({one.question.id for one in self.with_model} - self.missing)}
        for name in sorted({one.question.part for one in self.with_model} - {""}):
            parts[name] = parts["all"]._of({one.question.id for one in self.with_model if one.question.part == name})
        return parts

    def _of(self, ids: set[str]) -> Compared:
        return Compared(
            with_model=[one for one in self.with_model if one.question.id in ids],
            without=[one for one in self.without if one.question.id in ids],
            calls=[call for call in self.calls if call.question in ids],
        )


def ask_with_model(
    of: QuestionSet, asked: Sequence[Question], model: str, build: Path, tell: Tell
) -> tuple[Compared, str]:
    """Ask with the model named and without; return both, and a text that names the requests without a stored reply."""
    missing = build / MISSING
    for file in missing.glob("*.json"):
        file.unlink()
    replies: tuple[list[Reply], list[Reply]] = ([], [])
    calls: list[Call] = []
    for base in bases(of):
        chosen = [question for question in asked if question.site in base.sites]
        if not chosen:
            continue
        with served(base) as addresses, _opened(model, addresses, missing) as (settings, double):
            begin = double.begin if double else lambda _: None
            found = ask_with_and_without(base, chosen, addresses, settings, begin=begin, tell=tell)
            calls += double.calls if double else []
        for part, more in zip(replies, found, strict=True):
            part += more
    compared = Compared(with_model=grade_all(replies[0], of), without=grade_all(replies[1], of), calls=calls)
    if calls and len(asked) == len(of.questions):
        (build / USED).parent.mkdir(parents=True, exist_ok=True)
        (build / USED).write_text(json.dumps(sorted({call.hash for call in calls})) + "\n", "utf-8")
    return compared, _named(calls, missing)


def bases(of: QuestionSet) -> list[QuestionSet]:
    """Return the set in parts that have a knowledge base each: the sites of each package, and those without one.

    What a search finds depends on all pages of its base, so a package that is missing must not change it for the rest.
    """
    packages = sorted({site.package for site in of.sites.values()})
    parts = [{name: site for name, site in of.sites.items() if site.package == package} for package in packages]
    return [replace(of, sites=sites, questions=tuple(q for q in of.questions if q.site in sites)) for sites in parts]


def without_packages(of: QuestionSet, missing: Collection[str]) -> QuestionSet:
    """Return the set without the questions about sites whose pages are in these packages."""
    sites = {name: site for name, site in of.sites.items() if site.package not in missing}
    return replace(of, sites=sites, questions=tuple(one for one in of.questions if one.site in sites))


def lacking_replies(build: Path) -> frozenset[str]:
    """Return the questions for which the last run lacked a reply."""
    return frozenset(read_missing(file)[1] for file in (build / MISSING).glob("*.json"))


def figures(compared: Compared) -> Figures:
    """Return the figures of the questions to which every reply is stored."""
    own, before = figures_of(compared.with_model), figures_of(compared.without)
    replies = _right_replies(compared)
    lost = lost_by_model(compared)
    return {
        "questions": own["questions"],
        "answerable": own["answerable"],
        "right": own["right"],
        "right_without": before["right"],
        "right_replies": replies,
        "right_of_replies": own["right"] / replies if replies else None,
        "wrong": own["wrong"],
        "wrong_without": before["wrong"],
        "sure_and_wrong": own["sure_and_wrong"],
        "unanswerable_withheld": own["unanswerable_withheld"],
        "unanswerable_withheld_without": before["unanswerable_withheld"],
        "auroc": own["auroc"],
        "ece": own["ece"],
        "unknown_though_answered_without": len(lost),
        **_spent(compared),
        "answer_words": own["answer_words"],
        "seconds": own["seconds"],
        "seconds_without": before["seconds"],
    }


def lost_by_model(compared: Compared) -> list[str]:
    """Return the answerable questions that end as not known with the model, and are answered rightly without."""
    right = {one.question.id for one in compared.without if one.question.gold and one.outcome == "right"}
    return [one.question.id for one in compared.with_model if one.outcome == "abstained" and one.question.id in right]


def _right_replies(compared: Compared) -> float | None:
    """Return the share of the answerable questions whose last written answer is right, before any check."""
    answerable = {one.question.id: one.question for one in compared.with_model if one.question.gold}
    if not compared.calls or not answerable:
        return None
    written = {call.question: call.reply.text for call in compared.calls if call.kind == "answer" and call.reply}
    right = [is_right(question.golds, plain(written.get(name, ""))) for name, question in answerable.items()]
    return fmean(right)


def _spent(compared: Compared) -> Figures:
    """Return calls and tokens a question: of stored replies by kind of call, else as the product counts them."""
    questions = len(compared.with_model)
    if not questions:
        return {}
    if not compared.calls:
        tokens = [one.reply.tokens for one in compared.with_model]
        return {"tokens": fmean(tokens), "usd": fmean(one.reply.usd for one in compared.with_model)}
    before = [call for call in compared.calls if call.kind != _AFTERWARDS]
    return {
        "calls_before_answer": len(before) / questions,
        "calls": len(compared.calls) / questions,
        "tokens_in_before_answer": sum(call.tokens_in for call in before) / questions,
        "tokens_in": sum(call.tokens_in for call in compared.calls) / questions,
        "tokens_out": sum(call.tokens_out for call in compared.calls) / questions,
        **{f"calls_{kind}": count / questions for kind, count in _by_kind(compared.calls).items()},
    }


def _by_kind(calls: Sequence[Call]) -> dict[str, int]:
    kinds = sorted({call.kind for call in calls})
    return {kind: sum(call.kind == kind for call in calls) for kind in kinds}


def _named(calls: Sequence[Call], folder: Path) -> str:
    missing = [call for call in calls if call.reply is None]
    if not missing:
        return ""
    counts = ", ".join(f"{count} of {kind}" for kind, count in _by_kind(missing).items())
    names = " ".join(sorted({call.question for call in missing}))
    return (
        f"{len(missing)} of {len(calls)} requests have no stored reply ({counts}); they are in {folder}. The figures "
        f"leave out their questions: {names}"
    )


@contextmanager
def _opened(
    model: str, addresses: Mapping[str, str], missing: Path
) -> Iterator[tuple[dict[str, str], ReplayedModel | None]]:
    """Yield the settings that name the model to the product, and the double of one whose replies are stored."""
    if model == "replies":
        with ReplayedModel(Replies(), addresses, datetime.now(UTC).date(), missing) as double:
            # one question in ten tries its wordings in an order of chance, by the question's id
            fixed = {"WELLREAD_ENHANCEMENTS": "-learned_variants"}
            yield fixed | {"WELLREAD_ANTHROPIC_API_KEY": KEY, "WELLREAD_ANTHROPIC_BASE_URL": double.url}, double
    elif model == "claude":
        key = os.environ.get("WELLREAD_ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_API_KEY")
        if not key:
            raise NoModel("There is no key: set WELLREAD_ANTHROPIC_API_KEY.")
        yield _given() | {"WELLREAD_ANTHROPIC_API_KEY": key}, None
    elif model.startswith(("http://", "https://")):
        yield {"WELLREAD_LARGE_MODEL": _first_model(model)} | _given() | {"WELLREAD_MODEL_BASE_URL": model}, None
    else:
        raise NoModel(f"{model} is no model: name “replies”, “claude” or a server's URL.")


def _given() -> dict[str, str]:
    """Return what the environment says of models."""
    return {name: value for name, value in os.environ.items() if name.startswith("WELLREAD_") and "MODEL" in name}


def _first_model(url: str) -> str:
    try:
        with urllib.request.urlopen(f"{url.rstrip('/')}/models", timeout=10) as reply:  # noqa: S310 - http, see above
            listed: Any = json.load(reply)
        return str(listed["data"][0]["id"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise NoModel(f"{url} lists no models ({error}): set WELLREAD_LARGE_MODEL to one that it has.") from error
