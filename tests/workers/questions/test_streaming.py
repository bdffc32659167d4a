"""Who watches a question reads its answer while Claude writes it: only what stands in the pages' stored text."""

from __future__ import annotations

import json
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from domain import Answer, Citation, Sentence
from evals.model.wire import Cite, Say
from tests.claude_double import ClaudeDouble
from tests.pipeline.models.claude.conftest import ask, double, made, server
from tests.pipeline.models.claude.lighthouse import Ask
from tests.workers.questions.test_lookup import ask as asked
from tests.workers.questions.test_lookup import put
from tests.workers.questions.test_lookup import reading as reading
from tests.workers.questions.test_writing import SUPPORTED, look, record_of, write
from workers.questions.writing import MAX_WRITING_CHARACTERS, notify_writing
from workers.services import Services

__all__ = ["ask", "double", "made", "reading", "server"]

TEXT = "The lighthouse of Vierburg was built in 1874. A storm broke the lamp in 1921."


def told(services: Services, question_id: str) -> list[str]:
    """The answers that were published while they were written."""
    stream: Any = services.redis.xrange(f"wellread:events:{question_id}")
    return [json.loads(fields[b"data"])["answer"] for _, fields in stream if fields[b"kind"] == b"writing"]


def of_page(page_id: int, quote: str, *, text: str = "") -> Answer:
    start = max(0, TEXT.find(quote))
    citation = Citation(
        marker=1, passage_id="1-0", page_id=page_id, url="https://e.org/", title="", quote=quote, start=start,
        end=start + len(quote),
    )  # fmt: skip
    sentence = Sentence(text=text or quote, markers=(1,))
    return Answer(text=f"{sentence.text} [1]", sentences=(sentence,), citations=(citation,), confidence=1, composer="m")


def test_sentences_are_published_before_the_answer_is_whole(reading: Services, double: ClaudeDouble, ask: Ask) -> None:
    reading.__dict__["model"] = ask()
    put(reading, TEXT)
    cited = [Cite(result=0, start=0, end=1)]
    double.script(Say([("It was built in 1874. ", cited), ("Its lamp broke in 1921.", cited)]), SUPPORTED)
    question = write(reading, look(reading, asked(reading)))
    assert record_of(reading, question).answer == "It was built in 1874. [1] Its lamp broke in 1921. [2]"
    assert told(reading, question.id) == ["It was built in 1874. [1]"]


def test_quote_that_the_stored_page_has_no_longer_is_not_published(reading: Services) -> None:
    page_id = put(reading, TEXT)
    tell = notify_writing(reading, "q")
    tell(of_page(page_id, "The lighthouse of Vierburg was built in 1880."))
    tell(of_page(page_id + 1, "The lighthouse of Vierburg was built in 1874."))  # a page that is not there
    assert told(reading, "q") == []
    tell(of_page(page_id, "The lighthouse of Vierburg was built in 1874."))
    assert told(reading, "q") == ["The lighthouse of Vierburg was built in 1874. [1]"]


def test_long_answer_is_not_published_before_it_is_whole(reading: Services) -> None:
    page_id = put(reading, TEXT)
    notify_writing(reading, "q")(of_page(page_id, TEXT[:45], text="so " * MAX_WRITING_CHARACTERS))
    assert told(reading, "q") == []


def test_broker_or_database_that_is_away_does_not_end_the_writing(
    reading: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    from store.ephemeral.events import Events

    page_id = put(reading, TEXT)
    reading.__dict__["events"] = Events(redis.Redis(host="127.0.0.1", port=1, retry=Retry(NoBackoff(), 1)))
    notify_writing(reading, "q")(of_page(page_id, TEXT[:45]))
    with reading.database.write() as session:
        session.connection().exec_driver_sql("ALTER TABLE pages RENAME TO elsewhere")
    notify_writing(reading, "q")(of_page(page_id, TEXT[:45]))
