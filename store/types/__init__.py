"""The plain values that cross the rooms: what is asked, found, judged, answered and read.

Nothing here touches a disk, a network or a clock.
"""

from __future__ import annotations

from store.types.answers import Answer, Citation, Cost, Focus, PageDates, Sentence, Solved, Verdict
from store.types.crawl import LIST_KINDS, Candidate, CandidateKind, Link, Schedule
from store.types.facts import Fact, Named, StatedFact
from store.types.hits import Hit, Passage, Scale, Scope, Via
from store.types.pages import Page, PageText, Validators
from store.types.questions import FINAL, Budget, Question, Status
from store.types.variants import Tally, Variant, VariantKey, VariantKind

__all__ = [
    "FINAL",
    "LIST_KINDS",
    "Answer",
    "Budget",
    "Candidate",
    "CandidateKind",
    "Citation",
    "Cost",
    "Fact",
    "Focus",
    "Hit",
    "Link",
    "Named",
    "Page",
    "PageDates",
    "PageText",
    "Passage",
    "Question",
    "Scale",
    "Schedule",
    "Scope",
    "Sentence",
    "Solved",
    "StatedFact",
    "Status",
    "Tally",
    "Validators",
    "Variant",
    "VariantKey",
    "VariantKind",
    "Verdict",
    "Via",
]
