"""The Python client: ``from wellread import Client``, or ``AsyncClient`` for asyncio.

It speaks to the HTTP API and needs nothing of the server: of this project it imports :mod:`domain` alone.
"""

from __future__ import annotations

from wellread.client import (
    ApiUnreachable,
    AsyncClient,
    Client,
    ClientError,
    Event,
    Feedback,
    FeedbackVerdict,
    Options,
    PageRead,
    Record,
    Refused,
    SiteRead,
    Source,
    StoredPage,
    Terms,
    Watch,
)

__all__ = [
    "ApiUnreachable",
    "AsyncClient",
    "Client",
    "ClientError",
    "Event",
    "Feedback",
    "FeedbackVerdict",
    "Options",
    "PageRead",
    "Record",
    "Refused",
    "SiteRead",
    "Source",
    "StoredPage",
    "Terms",
    "Watch",
]
