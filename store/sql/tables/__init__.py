"""The SQL tables: the truth about every question, page and piece of work.

Rows that wait for work carry a lease (:class:`Leased`): a message only says "look", the row says whether there is
anything to do. Times are UTC and timezone-aware on the way in and out, on SQLite and PostgreSQL alike.
"""

from store.sql.tables.columns import Leased, Table, UtcDateTime
from store.sql.tables.crawl import CandidateRow, HostRow, LinkRow, RedirectRow, SiteReadRow, SourceRow
from store.sql.tables.pages import (
    ApiKeyRow,
    CollectionRow,
    EntityRow,
    FactRow,
    FileRow,
    FolderRow,
    IndexState,
    MentionRow,
    PageCheckRow,
    PageRow,
    PageVersionRow,
    PrivateReadRow,
)
from store.sql.tables.questions import (
    AnswerRow,
    BatchedRequestRow,
    EvidenceRow,
    FeedbackRow,
    QuestionRow,
    RecalibrationRow,
    RequestState,
    StepRow,
    ThreadRow,
    VariantsRow,
    VariantTallyRow,
    WatchRow,
    WebhookRow,
    WebhookStatus,
)

# fmt: off
__all__ = [
    "AnswerRow", "ApiKeyRow", "BatchedRequestRow", "CandidateRow", "CollectionRow", "EntityRow", "EvidenceRow",
    "FactRow", "FeedbackRow", "FileRow", "FolderRow", "HostRow", "IndexState", "Leased", "LinkRow", "MentionRow",
    "PageCheckRow", "PageRow", "PageVersionRow", "PrivateReadRow", "QuestionRow", "RecalibrationRow", "RedirectRow",
    "RequestState", "SiteReadRow", "SourceRow", "StepRow", "Table", "ThreadRow", "UtcDateTime", "VariantTallyRow",
    "VariantsRow", "WatchRow", "WebhookRow", "WebhookStatus",
]
# fmt: on
