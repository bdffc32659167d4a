"""Define the plain values that all packages share: questions, pages, hits, verdicts, answers, candidates.

Nothing here touches a disk, a network or a clock.
"""

from domain.answer import Answer, Citation, CitedPage, Cost, Focus, ModelCost, Sentence, SolvedQuestion, Verdict
from domain.flow import FINAL, Status
from domain.hit import AnswerSpan, Hit, Passage, Reading, Scale, Scope, Via, passage_of_page
from domain.page import (
    BLOCK_KINDS,
    LIST_KINDS,
    TABLES,
    WITH_TEXT,
    Block,
    BlockKind,
    Candidate,
    CandidateKind,
    Fact,
    KnownName,
    Link,
    Page,
    PageText,
    ReadOutcome,
    StatedFact,
    Validators,
    blocks_between,
    blocks_within,
    titled,
)
from domain.question import Budget, EventKind, Question, Tally, Variant, VariantKey, VariantKind
from domain.site import Schedule

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
