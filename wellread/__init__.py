"""The Python client: ``from wellread import Client``, or ``AsyncClient`` for asyncio.

    with Client() as wellread:
        record = wellread.ask("Who built the lighthouse?", wait=60)

It speaks to the HTTP API and needs nothing of the server: of this project it imports only :mod:`domain`.
"""

from domain.access import ApiKey, Collection, Imported
from domain.answer import Citation, Cost, ModelCost, NextQuestion, Sentence, Verdict
from domain.file import FolderState, StoredFile
from domain.flow import Status
from domain.question import Thread, ThreadQuestion, ThreadWithQuestions
from domain.record import (
    Bulk,
    BulkChange,
    BulkItem,
    Event,
    Feedback,
    FeedbackVerdict,
    FoundPassage,
    QuestionSummary,
    Record,
    Watch,
)
from domain.site import (
    ExtractedPage,
    PageCheck,
    PageLink,
    PageRead,
    PageSummary,
    PageVersion,
    Schedule,
    SiteRead,
    Source,
    StoredPage,
)
from domain.subscription import News, Subscription
from wellread.client import AsyncClient, Client
from wellread.endpoints import PageFilters
from wellread.options import Filters, Options, QuestionFilters, Terms
from wellread.responses import ApiUnreachable, ClientError, QuestionPart, Refused

# fmt: off
__all__ = [
    "ApiKey", "ApiUnreachable", "AsyncClient", "Bulk", "BulkChange", "BulkItem", "Citation", "Client", "ClientError",
    "Collection", "Cost", "Event", "ExtractedPage", "Feedback", "FeedbackVerdict", "Filters", "FolderState",
    "FoundPassage", "Imported", "ModelCost", "News", "NextQuestion", "Options", "PageCheck", "PageFilters", "PageLink",
    "PageRead", "PageSummary", "PageVersion", "QuestionFilters", "QuestionPart", "QuestionSummary", "Record", "Refused",
    "Schedule", "Sentence", "SiteRead", "Source", "Status", "StoredFile", "StoredPage", "Subscription", "Terms",
    "Thread", "ThreadQuestion", "ThreadWithQuestions", "Verdict", "Watch",
]
# fmt: on
