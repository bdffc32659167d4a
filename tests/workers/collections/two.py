"""Two collections with pages of their own on one machine, and a worker for both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from domain import Fact, PageText, Status, Validators
from domain.record import Record
from pipeline.ask import LookupResult
from store.pages import links, pages
from store.questions import records
from store.questions.new_questions import NewQuestion
from workers import indexing as embedding
from workers.questions import lookup, transitions
from workers.questions.step import finish, step
from workers.questions.submit import submit
from workers.services import Services

QUESTION = "Who keeps the lighthouse of Vardholm?"
URL = "https://vardholm.example/lighthouse"


@dataclass
class Calls:
    """Records which task is called for which row of which collection."""

    made: list[tuple[str, str | int, str]] = field(default_factory=list)
    collection: str = "default"

    def within(self, collection: str, database: object) -> Calls:
        return Calls(self.made, collection)

    def stand(self, task: str, row_id: str | int, **_: Any) -> bool:
        return False

    def send(self, task: str, row_id: str | int, **_: Any) -> bool:
        self.made.append((task, row_id, self.collection))
        return True

    def send_all(self, task: str, row_ids: Iterable[int], **_: Any) -> None:
        for row_id in row_ids:
            self.send(task, row_id)

    def send_for(self, question_id: str, status: str, **_: Any) -> None:
        self.made.append((status, question_id, self.collection))


def store_page(services: Services, keeper: str, *, url: str = URL) -> int:
    """Store a page as a crawl does, and have it embedded."""
    text = (
        f"The lighthouse of Vardholm is kept by {keeper}. It was built of granite in 1874.\n\n"
        f"{keeper} lights the lamp of Vardholm each evening. The harbour lies below."
    )
    with services.database.write() as session:
        page_id, _ = pages.save(
            session,
            url=url,
            host="https://vardholm.example",
            page=PageText(
                title=f"{keeper} of Vardholm",
                text=text,
                lang="en",
                facts=(Fact(subject="Vardholm Lighthouse", predicate="keeper", object=keeper),),
            ),
            content_hash=f"{crc32(keeper.encode()):08x}",
            validators=Validators(),
            depth=0,
            now=services.now(),
        )
        links.save(session, site="https://vardholm.example", from_url=url, links=(), depth=0, now=services.now())
    embedding.embed(services, page_id)
    return page_id


def ask(services: Services, **fields: Any) -> Record:
    """Ask in a collection and have the question answered from what it holds."""
    question, is_new = submit(services, NewQuestion(text=QUESTION, crawl_enabled=False, **fields))
    if is_new:
        for status, run_pass, decide in (
            (Status.ASKED, lookup.first_pass, transitions.after_first_pass),
            (Status.RETRYING, lookup.second_pass, transitions.after_second_pass),
        ):
            with step(services, question.id, status) as work:
                if work is not None:
                    result: LookupResult = run_pass(services, work.question)
                    finish(services, work, decide(work.question, result, None))
                    lookup.learn(services, result)
    return services.read(records.read, question.id, services.now())
