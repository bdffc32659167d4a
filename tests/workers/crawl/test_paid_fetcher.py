"""What is sent to the paid fetcher: public pages only, and only if the question can pay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from domain import Candidate, PageText, Validators
from store.pages import pages
from store.questions import new_questions
from store.questions.new_questions import NewQuestion
from store.sql.tables import PageRow
from tests.workers.crawl.one_candidate import add
from workers.crawl.claim import claim
from workers.crawl.read_candidate import paid_fetcher
from workers.questions import submit
from workers.services import Services


@pytest.fixture
def paying(services: Services) -> Services:
    changes: dict[str, Any] = {"fetcher": "firecrawl", "firecrawl_key": SecretStr("sesame")}
    services.settings = services.settings.model_copy(update=changes)
    return services


def test_a_public_page_may_be_sent_and_none_of_your_own(paying: Services) -> None:
    submit.add_source(paying, "https://wiki.example.org/", own=True)
    mine = claim(paying, add(paying, "https://example.org/lamp"))
    assert mine is not None
    paid = paid_fetcher(paying, mine)
    assert paid is not None
    assert (paid.name, paid.usd) == ("firecrawl", 0.0053)
    for url in ("https://wiki.example.org/lamp", "http://127.0.0.1:8000/", "http://user:pass@example.org/"):
        assert paid_fetcher(paying, replace(mine, candidate=Candidate(url=url))) is None


def test_a_question_without_money_left_sends_nothing(paying: Services) -> None:
    question = paying.write(new_questions.ask, NewQuestion(text="How tall is it?"), paying.now())[0]
    mine = claim(paying, add(paying, "https://example.org/lamp"))
    assert mine is not None
    for usd, is_sent in ((0.5, True), (0.005, False)):
        asked = replace(question, budget=replace(question.budget, usd=usd))
        assert (paid_fetcher(paying, replace(mine, question=asked)) is not None) == is_sent


@pytest.mark.parametrize("changes", [{"egress": "sources"}, {"firecrawl_key": SecretStr("")}, {"fetcher": ""}])
def test_nothing_is_sent_without_permission_or_key(paying: Services, changes: dict[str, Any]) -> None:
    paying.settings = paying.settings.model_copy(update=changes)
    assert paying.paid_fetcher is None


def test_the_page_says_who_fetched_it(services: Services) -> None:
    page = PageText(title="Lamp", text="It burns oil.", lang="en", fetched_by="exa")
    with services.database.write() as session:
        page_id, _ = pages.save(
            session, url="https://example.org/lamp", host="https://example.org", page=page, content_hash="x",
            validators=Validators(), depth=0, now=services.now(),
        )  # fmt: skip
        assert session.get_one(PageRow, page_id).fetched_by == "exa"
