"""A page that was read, from the API that WELLREAD_API_URL names or from this machine's database."""

from __future__ import annotations

from api.cli.connect import named_api, open_services
from domain.errors import WellreadError
from wellread.client import StoredPage
from wellread.records import PageCheck, to_value


class UnknownPage(WellreadError):
    """No page was read from this URL."""


def find(url: str) -> StoredPage:
    """The page with its history; raises UnknownPage, or the client's errors."""
    if (named := named_api()) is not None:
        with named as client:
            return client.page_at(url)
    services = open_services()
    from dataclasses import asdict

    from crawler import urls
    from store.pages import history as page_checks
    from store.pages import page
    from store.sql.tables import PageRow

    with services.database.read() as session:
        known = page.find(session, urls.typed(url))
        if known is None:
            raise UnknownPage(f"No page was read from {url}: `wellread read {url}` reads it.")
        row = session.get_one(PageRow, known.id)
        history = tuple(to_value(PageCheck, asdict(check)) for check in page_checks.history(session, known.id))
    return to_value(StoredPage, {**vars(row), "is_gone": row.gone_at is not None, "history": history})
