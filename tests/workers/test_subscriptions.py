"""What is new of a question or a subject, on a schedule: who is told what, and when nobody is told anything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import timedelta
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any, cast

import pytest
from pydantic import SecretStr
from redis.exceptions import RedisError
from sqlalchemy import delete, select, update

from crawler.discovery.schedule import BadSchedule, schedule_of
from domain import PageText
from domain.access import Role
from domain.document import Pushed
from domain.options import Asked
from domain.subscription import Subscription
from evals.knowledge.stored import save_page
from pipeline.models.model import LanguageModel
from store import keys
from store import subscriptions as stored
from store.pages import pages
from store.questions import webhooks as sent
from store.sql.tables import AnswerRow, PageRow, QuestionRow, SubscriptionRow, WebhookRow
from tests.claude_double import KEY, ClaudeDouble
from tests.mail_server import mail_server
from tests.one_process import Process, one_process
from workers import documents, indexing, mail, subscriptions
from workers.admission import NoRoom
from workers.questions import submit, webhooks
from workers.questions.callbacks import BadCallback
from workers.questions.submit import BadBudget

LIGHTHOUSE = "The lighthouse at Cape Sorrow was built in 1874 by Anna Blake."
DAILY = schedule_of(every="1d")


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    with one_process(crawl_enabled="false", smtp_from="news@example.org", smtp_url="smtp://127.0.0.1:1") as process:
        process.know({"Cape Sorrow": LIGHTHOUSE})
        yield process


def subscribe(process: Process, text: str, *, is_subject: bool = False, **given: Any) -> Subscription:
    options = given.pop("options", {})
    asked = Asked.model_validate({"question": text, **options})
    settings = {"is_subject": is_subject, "owner": None, "private": False} | given
    assert DAILY
    return subscriptions.add(process.services, asked, options, DAILY, **settings)


def run(process: Process, made: Subscription) -> list[Any]:
    """Look a subscription up; return its news, the latest first."""
    make_due(process, made)
    subscriptions.run_due(process.services)
    process._calls.work()
    subscriptions.run_due(process.services)
    return process.services.read(stored.news_of, made.id)


def know(process: Process, title: str, text: str, lang: str = "en") -> int:
    """Have a page be read, and be known, now; return its id."""
    services = process.services
    url = f"https://known.example/{title.replace(' ', '-')}"
    with services.database.write() as session:
        page_id = save_page(session, PageText(title=title, text=text, lang=lang), url, services.now())
    indexing.embed(services, page_id)
    return page_id


def push(process: Process, id_: str, text: str, **metadata: Any) -> None:
    """Have a document be pushed, and be known, now."""
    pushed = Pushed(form="text", content=text.encode(), title=id_, metadata=metadata)
    document, _ = documents.put(process.services, id_, pushed)
    process._calls.waiting.clear()
    indexing.embed(process.services, document.page_id)


@contextmanager
def changed(process: Process, **settings: Any) -> Iterator[None]:
    """Have other settings for a while."""
    services, before = process.services, process.services.settings
    services.settings = before.model_copy(update=settings)
    try:
        yield
    finally:
        services.settings = before


class _Failing:
    """A part of the services that fails when it is used."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def use(self) -> None:
        raise self._error


@contextmanager
def failing(process: Process, error: BaseException) -> Iterator[None]:
    """Have whatever is asked fail before it is saved."""
    known = process.services.broker_memory
    vars(process.services)["broker_memory"] = _Failing(error)
    try:
        yield
    finally:
        vars(process.services)["broker_memory"] = known


def make_due(process: Process, made: Subscription) -> None:
    process.services.write(stored.change, made.id, {}, None, process.services.now() - timedelta(seconds=1))


def row_of(process: Process, made: Subscription) -> SubscriptionRow:
    with process.services.database.read() as session:
        return session.get_one(SubscriptionRow, made.id)


def test_question_is_reported_at_first_and_again_only_when_its_answer_differs(process: Process) -> None:
    made = subscribe(process, "Who built the lighthouse at Cape Sorrow?")
    (first,) = run(process, made)
    assert first.first
    assert "Anna Blake" in first.text
    assert first.citations[0].url == "https://known.example/Cape-Sorrow"
    assert len(run(process, made)) == 1
    know(process, "Cape Sorrow", "The lighthouse at Cape Sorrow was built in 1875 by Ben Carter.")
    latest, _ = run(process, made)
    assert (latest.first, "Ben Carter" in latest.text) == (False, True)
    know(process, "Cape Sorrow", LIGHTHOUSE)


def test_subject_reports_new_passages_and_the_pages_of_its_sites(process: Process) -> None:
    made = subscribe(process, "ferry Norhaven", is_subject=True, options={"sites": ["https://known.example/"]})
    (first,) = run(process, made)
    assert (first.first, first.citations) == (True, ())
    assert len(run(process, made)) == 1, "nothing is new"
    know(process, "Ferry", "The ferry to Norhaven sails at nine every morning.")
    news, _ = run(process, made)
    assert [each.quote for each in news.citations] == ["The ferry to Norhaven sails at nine every morning."]
    assert [each.url for each in news.added] == ["https://known.example/Ferry"]
    know(process, "Ferry", "The ferry to Norhaven sails at ten every morning.")
    news = run(process, made)[0]
    assert (news.added, [each.title for each in news.changed]) == ((), ["Ferry"])
    assert "sails at ten" in news.text
    with process.services.database.write() as session:
        session.execute(update(PageRow).where(PageRow.title == "Ferry").values(gone_at=process.services.now()))
    news = run(process, made)[0]
    assert [each.url for each in news.removed] == ["https://known.example/Ferry"]
    assert len(run(process, made)) == 4


def test_subject_without_sites_is_told_only_of_passages_on_it(process: Process) -> None:
    made = subscribe(process, "submarine cables", is_subject=True)
    run(process, made)
    know(process, "Bread", "The baker in Norhaven sells bread with caraway.")
    assert len(run(process, made)) == 1
    know(process, "Cables", "Two submarine cables reach the island.")
    assert [each.url for each in run(process, made)[0].citations] == ["https://known.example/Cables"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RedisError("away"), NoRoom("full"), TypeError("what?")])
def test_run_that_fails_is_tried_again_in_minutes_and_keeps_no_other_from_its_turn(
    process: Process, error: BaseException
) -> None:
    made, other = (subscribe(process, "Who built the lighthouse at Cape Sorrow?") for _ in "ab")
    for each in (made, other):
        make_due(process, each)
    with failing(process, error), suppress(KeyboardInterrupt):
        subscriptions.run_due(process.services)
    subscriptions.run_due(process.services)
    for each in (made, other):
        row = row_of(process, each)
        assert row.question_id or row.next_due <= process.services.now() + timedelta(minutes=5)
    assert row_of(process, made).question_id is None
    assert row_of(process, made).error
    for each in (made, other):
        assert len(run(process, each)) == 1
        assert row_of(process, each).error is None


def test_subscription_whose_options_are_not_valid_any_more_keeps_no_other_from_its_turn(process: Process) -> None:
    made = subscribe(process, "cliffs", is_subject=True)
    other = subscribe(process, "gorges", is_subject=True)
    process.services.write(stored.change, made.id, {"options": {"colour": "red"}}, None, None)
    make_due(process, made)
    assert len(run(process, other)) == 1
    row = row_of(process, made)
    assert (row.last_run_at, "ValidationError" in row.error) == (None, True)
    assert row.next_due <= process.services.now() + timedelta(minutes=5)


@pytest.mark.parametrize("trouble", ["stopped", "cancelled", "deleted", "refused"])
def test_news_of_a_subject_are_the_quotes_if_the_digest_comes_to_nothing(process: Process, trouble: str) -> None:
    services = process.services
    made = subscribe(process, f"otters {trouble}", is_subject=True)
    run(process, made)
    know(process, f"Otters {trouble}", f"The otters were {trouble} in the bay of Norhaven.")
    make_due(process, made)
    egress = "none" if trouble == "refused" else "all"
    with changed(process, model_base_url="http://127.0.0.1:1/v1", egress=egress):
        with (
            failing(process, KeyboardInterrupt()) if trouble == "stopped" else nullcontext(),
            suppress(KeyboardInterrupt),
        ):
            subscriptions.run_due(services)
        process._calls.waiting.clear()
        if trouble in ("cancelled", "deleted"):
            question_id = row_of(process, made).question_id
            assert question_id
            submit.cancel(services, question_id)
            if trouble == "deleted":
                with services.database.write() as session:
                    session.delete(session.get_one(QuestionRow, question_id))
        subscriptions.run_due(services)
    latest, _ = services.read(stored.news_of, made.id)
    assert [each.url for each in latest.citations] == [f"https://known.example/Otters-{trouble}"]
    row = row_of(process, made)
    assert (row.question_id, row.found) == (None, None)
    assert row.next_due > services.now() + timedelta(hours=23)


def test_same_answer_in_other_words_is_no_news(process: Process) -> None:
    services = process.services
    unknown = subscribe(process, "What is the wingspan of the Quetzalcoatlus?")
    assert len(run(process, unknown)) == 1
    know(process, "Gravel", "Gravel is laid on the paths of the park.")
    assert len(run(process, unknown)) == 1, "only the counts of what was searched differ"
    made = subscribe(process, "Who built the lighthouse at Cape Sorrow?")
    run(process, made)
    make_due(process, made)
    subscriptions.run_due(services)
    process._calls.work()
    question_id = row_of(process, made).question_id
    with services.database.write() as session:
        session.execute(update(AnswerRow).where(AnswerRow.question_id == question_id).values(text="It was she [1]."))
    subscriptions.run_due(services)
    assert len(services.read(stored.news_of, made.id)) == 1


def test_document_with_other_metadata_only_is_no_news(process: Process) -> None:
    sites = {"sites": ["files://pushed/"]}
    made = subscribe(process, "harbour dues", is_subject=True, options=sites)
    run(process, made)
    push(process, "dues", "The harbour dues are nine crowns.", team="a")
    assert [each.url for each in run(process, made)[0].added] == ["files://pushed/dues"]
    push(process, "dues", "The harbour dues are nine crowns.", team="b")
    assert len(run(process, made)) == 2
    push(process, "dues", "The harbour dues are ten crowns.", team="b")
    assert [each.url for each in run(process, made)[0].changed] == ["files://pushed/dues"]


def test_page_that_is_gone_is_reported_once(process: Process) -> None:
    made = subscribe(process, "weirs", is_subject=True, options={"sites": ["https://known.example/Weir"]})
    page_id = know(process, "Weir", "The weirs were built in 1911.")
    run(process, made)
    process.services.write(pages.mark_gone, page_id, process.services.now())
    assert [each.url for each in run(process, made)[0].removed] == ["https://known.example/Weir"]
    indexing.embed(process.services, page_id)  # its passages are removed
    assert len(run(process, made)) == 2


def test_subject_keeps_to_its_filters_kinds_and_dates(process: Process) -> None:
    push(process, "a", "The piano tuner comes on Monday.", team="a")
    push(process, "b", "The piano tuner comes on Tuesday.", team="b")
    know(process, "Piano", "The piano tuner comes on Friday.")

    def found(**options: Any) -> set[str]:
        (first,) = run(process, subscribe(process, "piano tuner", is_subject=True, options=options))
        return {each.url.rpartition("/")[2] for each in first.citations}

    assert found() == {"a", "b", "Piano"}
    assert found(filters=["team=a"]) == {"a"}
    assert found(source_kinds=["web"]) == {"Piano"}
    assert found(read_before="2020-01-01") == found(published_before="2020-01-01") == set()


def test_pages_of_a_subject_keep_to_its_languages_and_to_what_is_excluded(process: Process) -> None:
    options = {
        "sites": ["https://known.example/"],
        "exclude_sites": ["https://known.example/Left"],
        "langs": ["en"],
    }
    made = subscribe(process, "zithers", is_subject=True, options=options)
    run(process, made)
    for title, lang in (("Kept", "en"), ("Left", "en"), ("Never", "en"), ("Fremd", "de")):
        know(process, title, f"A page with the title {title}.", lang)
    with changed(process, exclude_sites=("https://known.example/Never",)):
        assert [each.url for each in run(process, made)[0].added] == ["https://known.example/Kept"]


def test_key_has_so_many_subscriptions_at_most_and_each_so_often(process: Process) -> None:
    services = process.services
    key = services.write(keys.add, "many", Role.ask, services.now())
    for number in range(stored.MOST_SUBSCRIPTIONS):
        made = subscribe(process, f"Number {number}?", owner=key.owner)
    with pytest.raises(stored.TooManySubscriptions, match="100 subscriptions of this key"):
        subscribe(process, "One more?", owner=key.owner)
    assert len(services.read(stored.due, services.now())) == stored.MOST_DUE
    with pytest.raises(BadSchedule, match="every five minutes at most"):
        subscriptions.change(services, made.id, {}, {"every": "4m"})
    services.write(keys.revoke, "many")
    with services.database.write() as session:
        session.execute(delete(SubscriptionRow).where(SubscriptionRow.owner == key.owner))


def test_one_look_at_what_is_due_goes_on_at_a_time(process: Process) -> None:
    made = subscribe(process, "buoys", is_subject=True)
    with process.services.redis.lock(f"wellread:news:{process.services.collection.id}", timeout=60):
        assert run(process, made) == []
    assert len(run(process, made)) == 1


def test_subscription_that_cannot_be_asked_or_delivered_is_refused(process: Process) -> None:
    with pytest.raises(BadBudget):
        subscribe(process, "Who?", options={"budget": {"pages": 10**6}})
    with pytest.raises(BadCallback, match="No webhook is sent there"):
        subscribe(process, "Who?", callback_url="http://10.0.0.1/")
    for address in ("anna", "anna@example.org, ben@example.org", "anna@example.org\nBcc: ben@example.org"):
        with pytest.raises(mail.BadEmail, match="not the address of one receiver"):
            subscribe(process, "Who?", email=address)
    made = subscribe(process, "Who built it?")
    with pytest.raises(BadSchedule, match="has a wrong day-of-month"):
        subscriptions.change(process.services, made.id, {}, {"cron": "0 0 30 2 *"})
    with pytest.raises(BadSchedule, match="needs a schedule"):
        subscriptions.change(process.services, made.id, {}, {"every": None})
    paused = subscriptions.change(process.services, made.id, {"paused": True}, {})
    assert (paused.next_due, paused.paused) == (None, True)
    assert subscriptions.change(process.services, made.id, {"paused": False}, {}).next_due


def test_subscription_of_a_revoked_key_is_looked_up_no_more(process: Process) -> None:
    services = process.services
    key = services.write(keys.add, "reader", Role.ask, services.now())
    made = subscribe(process, "Who built the lighthouse?", owner=key.owner)
    services.write(keys.revoke, "reader")
    assert run(process, made) == []
    found = services.read(stored.find, made.id)
    assert (found.next_due, found.error) == (None, "the key that subscribed was revoked or has expired")


def test_last_fifty_news_are_kept(process: Process) -> None:
    made = subscribe(process, "What is kept?")
    with process.services.database.write() as session:
        row = session.get_one(SubscriptionRow, made.id)
        for number in range(53):
            now = process.services.now()
            stored.add_news(session, row, now, title=str(number), text="", citations=[], pages={})
    kept = process.services.read(stored.news_of, made.id)
    assert (len(kept), kept[0].title, kept[-1].title) == (50, "52", "3")


def test_news_are_sent_as_a_signed_webhook_and_stand_in_its_log(process: Process) -> None:
    services = process.services
    with _receiving() as receiver:
        services.settings = services.settings.model_copy(
            update={"allow_hosts": (*services.settings.allow_hosts, f"127.0.0.1:{receiver.server_port}")}
        )
        made = subscribe(process, "Who built the lighthouse?", callback_url=f"http://127.0.0.1:{receiver.server_port}/")
        run(process, made)
        with services.database.read() as session:
            row_id = session.scalars(select(WebhookRow.id).where(WebhookRow.event == subscriptions.EVENT)).one()
        webhooks.deliver(services, row_id)
        (body,) = receiver.got
    assert (body["event"], body["subscription"]["question"]) == ("subscription.news", "Who built the lighthouse?")
    assert body["news"]["first"] is True
    assert body["news"]["citations"][0]["quote"]
    assert services.read(sent.find, row_id).status == "DELIVERED"  # type: ignore[union-attr]


def test_news_are_sent_by_e_mail(process: Process) -> None:
    services = process.services
    with mail_server() as server:
        url = type(services.settings.smtp_url)(f"smtp://127.0.0.1:{server.server_address[1]}")
        services.settings = services.settings.model_copy(update={"smtp_url": url})
        run(process, subscribe(process, "Who built the lighthouse?", email="anna@example.org"))
        with services.database.read() as session:
            row_id = session.scalars(select(WebhookRow.id).where(WebhookRow.url.startswith("mailto:"))).one()
        webhooks.deliver(services, row_id)
        assert services.read(sent.find, row_id).status == "DELIVERED"  # type: ignore[union-attr]
        message = message_from_bytes(server.got[0], policy=policy.default)
        assert (message["to"], message["from"]) == ("anna@example.org", "news@example.org")
        assert "lighthouse" in message["subject"]
        assert "https://known.example/Cape-Sorrow" in message.get_content()
        server.refuses = True
        error = mail.send(services.settings, "anna@example.org", title="a", text="b", message_id="c")
        assert "the SMTP server 127.0.0.1" in (error or "")
    error = mail.send(services.settings, "anna@example.org", title="a", text="b", message_id="c")
    assert "the SMTP server 127.0.0.1" in (error or "")


class _Receiver(HTTPServer):
    got: list[Any]


@contextmanager
def _receiving() -> Iterator[_Receiver]:
    class Handler(BaseHTTPRequestHandler):
        server: _Receiver

        def do_POST(self) -> None:
            self.server.got.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with _Receiver(("127.0.0.1", 0), Handler) as server:
        server.got = []
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_subject_gets_a_digest_of_what_is_new_from_a_model(process: Process) -> None:
    know(process, "Pier", "The ferry to Norhaven leaves from the northern pier.")
    with _claude(process) as claude:
        made = subscribe(process, "ferry to Norhaven", is_subject=True)
        (first,) = run(process, made)
        assert "northern pier" in first.text
        claude.forget()
        assert len(run(process, made)) == 1
        assert claude.received == [], "nothing is new, so no model is asked"
        know(process, "Strike", "From Friday on no ferry to Norhaven sails, because its crew is on strike.")
        news, _ = run(process, made)
        asked = [request.search_results() for request in claude.received]
    assert any("its crew is on strike" in str(each) for each in asked)
    assert news.text == "From Friday on no ferry to Norhaven sails, because its crew is on strike. [1]"
    assert [each.url for each in news.citations] == ["https://known.example/Strike"]
    assert news.question_id


@contextmanager
def _claude(process: Process) -> Iterator[ClaudeDouble]:
    """Have a model for a while."""
    services = process.services
    before = {name: vars(services).pop(name) for name in ("model", "tools") if name in vars(services)}
    with (
        ClaudeDouble() as claude,
        changed(process, anthropic_api_key=SecretStr(KEY), anthropic_base_url=claude.url, verbatim=False),
    ):
        yield claude
        cast(LanguageModel, services.model).close()
    vars(services).pop("tools")
    vars(services).update(before)
