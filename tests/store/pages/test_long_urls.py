"""The longest URLs there are fit every index of every database, also those of two."""

from __future__ import annotations

import random
import string

from crawler.urls import MAX_URL
from domain import Candidate, Link, PageText, Validators
from domain.file import MAX_PATH, address_of
from store.crawl import candidates
from store.crawl.candidates import CandidateStatus
from store.pages import links, pages, visibility
from store.sql.database import Database
from tests.store.walk import NOW, ask


def _longest(seed: int) -> str:
    """A URL that cannot be packed."""
    letters = random.Random(seed).choices(string.ascii_letters + string.digits, k=MAX_URL)
    return ("https://example.org/" + "".join(letters))[:MAX_URL]


def test_longest_addresses_are_stored(database: Database) -> None:
    question_id = ask(database)
    file = address_of("ü" * 60, _longest(3)[:MAX_PATH])
    for url in (_longest(1), file):
        with database.write() as session:
            page = PageText(title="Far", text="It is far away.", lang="en", canonical_url=_longest(2))
            pages.save(
                session, url=url, host="https://example.org", page=page, content_hash=url[-8:], validators=Validators(),
                depth=0, now=NOW,
            )  # fmt: skip
            links.save(session, site="s", from_url=url, links=[Link(url=_longest(2))], depth=1, now=NOW)
            visibility.grant(session, question_id, [url])
            found = [Candidate(url=url, origin="test")]
            assert candidates.add(session, question_id, found, wave=0, status=CandidateStatus.WAITING, now=NOW)
