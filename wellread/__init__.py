"""The Python client: ``from wellread import Client``, or ``AsyncClient`` for asyncio.

It speaks to the HTTP API and needs nothing of the server: of this project it imports :mod:`domain` alone.
"""

from __future__ import annotations

from wellread.client import (
    AsyncClient,
    Client,
    ClientError,
    Event,
    Feedback,
    FeedbackVerdict,
    Options,
    Reading,
    Record,
    Refused,
    SiteRead,
    Source,
    StoredPage,
    Terms,
    Unreachable,
    Watch,
)

__all__ = [
    "AsyncClient",
    "Client",
    "ClientError",
    "Event",
    "Feedback",
    "FeedbackVerdict",
    "Options",
    "Reading",
    "Record",
    "Refused",
    "SiteRead",
    "Source",
    "StoredPage",
    "Terms",
    "Unreachable",
    "Watch",
]
