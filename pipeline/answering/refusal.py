"""Recognise text that says that it has no answer, in the languages of answers."""

import re
import tomllib
from pathlib import Path

_LISTED = tomllib.loads(Path(__file__).with_name("refusal.toml").read_text("utf-8"))


def _any_of(*kinds: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for kind in kinds for pattern in _LISTED[kind]), re.IGNORECASE)


_OWN_REFUSAL, _REFUSAL, _LACKING = _any_of("own"), _any_of("own", "others"), _any_of("own", "others", "lacks")
_SOURCES = _any_of("sources")
#: characters of a refusal that may say why
_READ = 300
_OPENING = re.compile(r".{0,240}?(?:[.!?؟](?=\s|$)|[。！？।]|\n|$)", re.DOTALL)


def is_refusal(text: str, *, cited: bool = False) -> bool:
    """Return whether the text's opening sentence says that it has no answer.

    One that is ``cited`` may state that something is not so: "Unfortunately, the document is not saved." Of the 679
    sentences of evals/model/sentences.jsonl none is taken for a refusal then, and one without a citation.
    """
    opening = _opening(text)
    # "No information was leaked, said the company": a refusal begins as one
    return any(match.start() <= 30 for match in (_OWN_REFUSAL if cited else _REFUSAL).finditer(opening))


def declines(text: str) -> bool:
    """Return whether an uncited text refuses, as "I can't help with that" does, and blames no lack of sources.

    The instructions give the words of an abstention: of the 11 uncited refusals in evals/model/replies none declines.
    """
    return is_refusal(text) and not _SOURCES.search(text[:_READ])


def says_missing(text: str) -> bool:
    """Return whether a sentence says that something is not said."""
    return _LACKING.search(text) is not None


def _opening(text: str) -> str:
    stripped = text.strip().lstrip("*_#>`\"'“„« ")
    match = _OPENING.match(stripped)
    return match.group() if match else ""
