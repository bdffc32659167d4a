"""What is new of a question or a subject, on a schedule: who is told what, and when nobody is told anything."""

from __future__ import annotations

import json
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import select, update

from crawler.discovery.schedule import BadSchedule, schedule_of
from domain import PageText
from domain.access import Role
from domain.options import Asked
from domain.subscription import Subscription
from evals.knowledge.stored import save_page
from store import keys
from store import subscriptions as stored
from store.questions import webhooks as sent
from store.sql.tables import PageRow, SubscriptionRow, WebhookRow
from tests.one_process import Process, one_process
from workers import indexing, mail, subscriptions
from workers.questions import webhooks
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
    process.services.write(stored.change, made.id, {}, None, process.services.now() - timedelta(seconds=1))
    subscriptions.run_due(process.services)
    process._calls.work()
    subscriptions.run_due(process.services)
    return process.services.read(stored.news_of, made.id)


def know(process: Process, title: str, text: str) -> None:
    """Have a page be read, and be known, now."""
    services = process.services
    url = f"https://known.example/{title.replace(' ', '-')}"
    with services.database.write() as session:
        page_id = save_page(session, PageText(title=title, text=text, lang="en"), url, services.now())
    indexing.embed(services, page_id)


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


def test_subscription_that_cannot_be_asked_or_delivered_is_refused(process: Process) -> None:
    with pytest.raises(BadBudget):
        subscribe(process, "Who?", options={"budget": {"pages": 10**6}})
    with pytest.raises(BadCallback, match="No webhook is sent there"):
        subscribe(process, "Who?", callback_url="http://10.0.0.1/")
    for address in ("anna", "anna@example.org, ben@example.org", "anna@example.org\nBcc: ben@example.org"):
        with pytest.raises(mail.BadEmail, match="no address of one receiver"):
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
    with _mail_server() as server:
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


class _MailServer(socketserver.ThreadingTCPServer):
    got: list[bytes]
    refuses = False


@contextmanager
def _mail_server() -> Iterator[_MailServer]:
    """A server that speaks as much SMTP as is needed to take a message."""

    class Handler(socketserver.StreamRequestHandler):
        server: _MailServer

        def handle(self) -> None:
            self._say("220 ready")
            while line := self.rfile.readline():
                match line.split()[0].upper():
                    case b"DATA":
                        self._say("354 go on")
                        self.server.got.append(b"".join(iter(self.rfile.readline, b".\r\n")))
                        self._say("250 taken")
                    case b"QUIT":
                        self._say("221 bye")
                        return
                    case b"RCPT" if self.server.refuses:
                        self._say("550 no such box")
                    case _:
                        self._say("250 ok")

        def _say(self, line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

    with _MailServer(("127.0.0.1", 0), Handler) as server:
        server.got = []
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
