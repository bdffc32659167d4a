"""Define the plain values that all packages share: questions, pages, hits, verdicts, answers, candidates.

Nothing here touches a disk, a network or a clock.
"""

from domain.answer import Answer, Citation, CitedPage, Cost, Focus, ModelCost, Sentence, SolvedQuestion, Verdict
from domain.candidate import LIST_KINDS, WITH_TEXT, Candidate, CandidateKind, Link, ReadOutcome, Schedule
from domain.flow import FINAL, Status
from domain.hit import AnswerSpan, Hit, Passage, Reading, Scale, Scope, Via, passage_of_page
from domain.page import (
    BLOCK_KINDS,
    TABLES,
    Block,
    BlockKind,
    Fact,
    KnownName,
    Page,
    PageText,
    StatedFact,
    Validators,
    blocks_between,
    blocks_within,
    titled,
)
from domain.question import Budget, EventKind, Question, Tally, Variant, VariantKey, VariantKind

# fmt: off
__all__ = [
    "BLOCK_KINDS", "FINAL", "LIST_KINDS", "TABLES", "WITH_TEXT", "Answer", "AnswerSpan", "Block", "BlockKind",
    "Budget", "Candidate", "CandidateKind", "Citation", "CitedPage", "Cost", "EventKind", "Fact", "Focus", "Hit",
    "KnownName", "Link", "ModelCost", "Page", "PageText", "Passage", "Question", "ReadOutcome", "Reading", "Scale",
    "Schedule", "Scope", "Sentence", "SolvedQuestion", "StatedFact", "Status", "Tally", "Validators", "Variant",
    "VariantKey", "VariantKind", "Verdict", "Via", "blocks_between", "blocks_within", "passage_of_page",
    "titled",
]
# fmt: on
