"""Who is told that a question ended, and how often it is tried."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread

import pytest
from sqlalchemy import select, update
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from domain.access import Role
from store import keys
from store.ephemeral.slots import Receiver
from store.questions import webhooks as webhooks_in_sql
from store.questions.new_questions import NewQuestion
from store.sql import leases
from store.sql.tables import QuestionRow, WebhookRow
from tests.workers.conftest import Outbox
from workers.questions import submit, webhooks
from workers.questions.callbacks import BadCallback
from workers.services import Services
from workers.settings import load


class _Receiver(HTTPServer):
    def __init__(self, address: str) -> None:
        super().__init__((address, 0), _Told)
        self.may_answer = Event()
        self.may_answer.set()
        self.told: list[str] = []
        self.answers: list[int] = []  #: statuses of the next answers; then 204
        self.sent: list[tuple[dict[str, str], bytes]] = []
        self.says = b""

    @property
    def host(self) -> str:
        return f"{self.server_address[0]!s}:{self.server_port}"


class _Told(BaseHTTPRequestHandler):
    server: _Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.told.append(self.path)
        self.server.sent.append((dict(self.headers), body))
        self.server.may_answer.wait(9)
        self.send_response(self.server.answers.pop(0) if self.server.answers else 204)
        self.send_header("content-length", str(len(self.server.says)))
        self.end_headers()
        self.wfile.write(self.server.says)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def _listening(address: str = "127.0.0.1") -> Iterator[_Receiver]:
    with _Receiver(address) as receiver:
        thread = Thread(target=receiver.serve_forever, daemon=True)
        thread.start()
        yield receiver
        receiver.shutdown()
        thread.join()


@pytest.fixture
def receiver() -> Iterator[_Receiver]:
    with _listening() as receiver:
        yield receiver


def allow(services: Services, receiver: _Receiver) -> None:
    services.settings = services.settings.model_copy(update={"allow_hosts": (receiver.host,)})


def ended(services: Services, callback_url: str, owner: str | None = None) -> int:
    """A delivery that is owed for a question that ended."""
    new = NewQuestion(text="Who built the lighthouse?", callback_url=callback_url, owner=owner)
    question, _ = submit.submit(services, new)
    submit.cancel(services, question.id)
    with services.database.read() as session:
        return session.scalars(select(WebhookRow.id).where(WebhookRow.question_id == question.id)).one()


def status(services: Services) -> tuple[str, str | None]:
    with services.database.read() as session:
        row = session.scalars(select(WebhookRow)).one()
        return row.status, row.error


def test_receiver_is_told_at_the_address_that_was_given(services: Services, receiver: _Receiver) -> None:
    allow(services, receiver)
    webhooks.deliver(services, ended(services, f"http://{receiver.host}/told?id=7&utm_source=mine"))
    assert receiver.told == ["/told?id=7&utm_source=mine"]
    assert status(services) == ("DELIVERED", None)


def test_site_that_may_be_read_may_not_be_written_to(services: Services, receiver: _Receiver) -> None:
    submit.add_source(services, f"http://{receiver.host}/", own=True, min_delay_s=None)
    with pytest.raises(BadCallback, match="WELLREAD_ALLOW_HOSTS"):
        submit.submit(services, NewQuestion(text="Why?", callback_url=f"http://{receiver.host}/admin/delete"))
    allow(services, receiver)
    webhook_id = ended(services, f"http://{receiver.host}/told")
    services.settings = services.settings.model_copy(update={"allow_hosts": ()})
    webhooks.deliver(services, webhook_id)
    assert receiver.told == []
    assert "WELLREAD_ALLOW_HOSTS" in (status(services)[1] or "")


def test_delivery_that_stops_the_worker_again_and_again_is_given_up(services: Services, receiver: _Receiver) -> None:
    allow(services, receiver)
    webhook_id = ended(services, f"http://{receiver.host}/told")
    with services.database.write() as session:
        session.execute(update(WebhookRow).values(attempts=leases.MAX_ATTEMPTS))
    webhooks.deliver(services, webhook_id)
    assert receiver.told == []
    assert status(services)[0] == "FAILED"


def test_delivery_that_fails_is_tried_five_times_and_no_more(services: Services, receiver: _Receiver) -> None:
    allow(services, receiver)
    webhook_id = ended(services, f"http://{receiver.host}/told")
    receiver.shutdown()
    receiver.server_close()
    for attempt in range(leases.MAX_ATTEMPTS):
        assert status(services)[0] == "WAITING", attempt
        webhooks.deliver(services, webhook_id)
        with services.database.write() as session:
            session.execute(update(WebhookRow).values(due_at=services.now() - timedelta(seconds=1)))
    assert status(services)[0] == "FAILED"


@pytest.mark.parametrize("secret", ["whsec_dGhlIGtleQ==", "the key"])
def test_receiver_checks_the_signature_with_the_library(secret: str, services: Services, receiver: _Receiver) -> None:
    allow(services, receiver)
    services.settings = services.settings.model_copy(
        update={"webhook_secret": load(webhook_secret=secret).webhook_secret}
    )
    webhooks.deliver(services, ended(services, f"http://{receiver.host}/told"))
    ((headers, body),) = receiver.sent
    check = Webhook(b"the key").verify
    assert check(body, headers)["event"] == "question.cancelled"
    stamp = str(int(headers["webhook-timestamp"]) - 301)
    forged = [
        (body.replace(b"cancelled", b"answered"), headers),
        (body, headers | {"webhook-id": "msg_another"}),
        (body, headers | {"webhook-timestamp": stamp}),
    ]
    for changed_body, changed in forged:
        with pytest.raises(WebhookVerificationError):
            check(changed_body, changed)


def test_receivers_with_the_new_and_with_the_former_secret_both_accept_a_delivery(
    services: Services, receiver: _Receiver
) -> None:
    allow(services, receiver)
    secrets = load(webhook_secret="whsec_bmV3IGtleQ==, old").webhook_secret
    services.settings = services.settings.model_copy(update={"webhook_secret": secrets})
    webhooks.deliver(services, ended(services, f"http://{receiver.host}/told"))
    ((headers, body),) = receiver.sent
    assert [each.partition(",")[0] for each in headers["webhook-signature"].split()] == ["v1", "v1"]
    first = headers | {"webhook-signature": headers["webhook-signature"].split()[0]}
    assert Webhook(b"new key").verify(body, first)["event"] == "question.cancelled"
    assert Webhook(b"old").verify(body, headers)["event"] == "question.cancelled"
    with pytest.raises(WebhookVerificationError):
        Webhook(b"another").verify(body, headers)


def test_only_the_chosen_events_of_a_question_are_sent(services: Services, receiver: _Receiver) -> None:
    allow(services, receiver)
    for events in (("question.failed",), ("question.cancelled", "question.failed")):
        new = NewQuestion(
            text="Who built it?", callback_url=f"http://{receiver.host}/told", callback_events=events, reuse=False
        )
        submit.cancel(services, submit.submit(services, new)[0].id)
    with services.database.read() as session:
        assert session.scalars(select(WebhookRow.event)).all() == ["question.cancelled"]


def test_log_keeps_what_the_receiver_answered_and_hides_the_query_of_its_address(
    services: Services, receiver: _Receiver
) -> None:
    allow(services, receiver)
    receiver.answers, receiver.says = [500], b"\0sorry" * 200
    webhook_id = ended(services, f"http://{receiver.host}/told?token=secret")
    webhooks.deliver(services, webhook_id)
    (said,) = services.read(webhooks_in_sql.list_all)
    assert (said.status, said.attempts, said.response_status) == ("WAITING", 1, 500)
    assert (len(said.response or ""), said.error) == (500, "the receiver answered 500")
    assert (said.url, said.delivered_at) == (f"http://{receiver.host}/told?…", None)
    assert said.seconds is not None
    assert (said.next_try_at or services.now()) > (said.tried_at or services.now())
    receiver.shutdown()
    receiver.server_close()
    with services.database.write() as session:
        session.execute(update(WebhookRow).values(due_at=services.now() - timedelta(seconds=1)))
    webhooks.deliver(services, webhook_id)
    (said,) = services.read(webhooks_in_sql.list_all)
    assert "secret" not in (said.error or "secret")
    assert (said.response_status, said.response) == (None, None)


def test_webhook_that_was_given_up_or_delivered_is_sent_again_with_the_same_id(
    services: Services, outbox: Outbox, receiver: _Receiver
) -> None:
    allow(services, receiver)
    webhook_id = ended(services, f"http://{receiver.host}/told")
    with services.database.write() as session:
        session.execute(update(WebhookRow).values(status="FAILED", attempts=5, error="away"))
    for _ in range(2):
        replayed = webhooks.replay(services, webhook_id, None)
        assert replayed
        assert (replayed.status, replayed.attempts, replayed.error) == ("WAITING", 0, None)
        assert ("wellread.notify", webhook_id) in outbox.messages
        webhooks.deliver(services, webhook_id)
    assert len({headers["webhook-id"] for headers, _ in receiver.sent}) == 1
    assert len(receiver.sent) == 2
    assert webhooks.replay(services, webhook_id, "key:another") is None


def test_webhooks_of_a_key_go_to_its_own_hosts_and_to_no_others(services: Services, receiver: _Receiver) -> None:
    host, _, port = receiver.host.partition(":")
    for number, allowed in enumerate((host, receiver.host, "127.0.0.0/8", f"127.0.0.0/8:{port}"), start=1):
        key = services.write(keys.add, f"crm-{number}", Role.ask, services.now(), callback_hosts=[allowed])
        webhooks.deliver(services, ended(services, f"http://{receiver.host}/told", owner=key.owner))
        assert len(receiver.told) == number, allowed
    for number, allowed in enumerate(("10.0.0.0/8", f"{host}:1", "[::1]", "crm.internal")):
        key = services.write(keys.add, f"other-{number}", Role.ask, services.now(), callback_hosts=[allowed])
        with pytest.raises(
            BadCallback, match=r"No webhook is sent there: .*--callback-host HOST.*WELLREAD_ALLOW_HOSTS"
        ):
            ended(services, f"http://{receiver.host}/told", owner=key.owner)
    with pytest.raises(BadCallback, match="No webhook is sent there"):
        ended(services, f"http://{receiver.host}/told")


def test_name_that_resolves_into_an_allowed_network_is_reached_and_one_that_does_not_is_refused(
    services: Services, receiver: _Receiver
) -> None:
    port = receiver.server_port
    inside = services.write(keys.add, "inside", Role.ask, services.now(), callback_hosts=["127.0.0.0/8", "::1"])
    webhooks.deliver(services, ended(services, f"http://localhost:{port}/told", owner=inside.owner))
    assert receiver.told == ["/told"]
    outside = services.write(keys.add, "outside", Role.ask, services.now(), callback_hosts=["10.0.0.0/8"])
    webhooks.deliver(services, ended(services, f"http://localhost:{port}/told", owner=outside.owner))
    assert receiver.told == ["/told"]
    (last, *_) = services.read(webhooks_in_sql.list_all, owner=outside.owner)
    assert "would be reached at port" in (last.error or "")


def test_key_whose_hosts_are_taken_back_reaches_them_no_more(services: Services, receiver: _Receiver) -> None:
    key = services.write(keys.add, "crm", Role.ask, services.now(), callback_hosts=[receiver.host])
    webhook_id = ended(services, f"http://{receiver.host}/told", owner=key.owner)
    services.write(keys.change, "crm", {"callback_hosts": None})
    webhooks.deliver(services, webhook_id)
    assert receiver.told == []
    assert "No webhook is sent there" in (status(services)[1] or "")


def test_test_event_is_signed_and_says_what_came_back(services: Services, receiver: _Receiver) -> None:
    allow(services, receiver)
    services.settings = services.settings.model_copy(
        update={"webhook_secret": load(webhook_secret="the key").webhook_secret}
    )
    receiver.answers, receiver.says = [418], b"short and stout"
    tried = webhooks.test(services, f"http://{receiver.host}/told", None)
    assert (tried.delivered, tried.signed, tried.response_status) == (False, True, 418)
    assert (tried.response, tried.error) == ("short and stout", "the receiver answered 418")
    ((headers, body),) = receiver.sent
    assert Webhook(b"the key").verify(body, headers)["event"] == "webhook.test"
    assert services.read(webhooks_in_sql.list_all) == []
    with pytest.raises(BadCallback):
        webhooks.test(services, "http://10.0.0.1/", None)


def test_replayed_delivery_is_too_old(services: Services) -> None:
    body, secret = b"{}", "whsec_dGhlIGtleQ=="
    headers = webhooks.sign(body, message_id="msg_1", secret=secret, now=services.now() - timedelta(seconds=301))
    with pytest.raises(WebhookVerificationError, match="too old"):
        Webhook(secret).verify(body, headers)


def test_all_attempts_of_a_delivery_have_one_id(services: Services, receiver: _Receiver) -> None:
    allow(services, receiver)
    receiver.answers = [500, 503]
    first = ended(services, f"http://{receiver.host}/told")
    for _ in range(3):
        webhooks.deliver(services, first)
        with services.database.write() as session:
            session.execute(update(WebhookRow).values(due_at=services.now() - timedelta(seconds=1)))
            question_id = session.get_one(WebhookRow, first).question_id
    assert [headers["webhook-id"] for headers, _ in receiver.sent] == [f"msg_{question_id}_{first}"] * 3
    assert status(services)[0] == "DELIVERED"


def test_webhook_without_a_secret_is_not_signed(services: Services, receiver: _Receiver) -> None:
    allow(services, receiver)
    webhooks.deliver(services, ended(services, f"http://{receiver.host}/told"))
    ((headers, _),) = receiver.sent
    assert "webhook-id" in headers
    assert "webhook-signature" not in headers


def test_question_keeps_the_receivers_address(services: Services, receiver: _Receiver) -> None:
    allow(services, receiver)
    ended(services, f"http://{receiver.host}/told?gclid=1")
    with services.database.read() as session:
        assert session.scalars(select(QuestionRow.callback_url)).one() == f"http://{receiver.host}/told?gclid=1"


def test_nobody_is_told_when_the_key_that_asked_is_revoked(services: Services, receiver: _Receiver) -> None:
    allow(services, receiver)
    key = services.write(keys.add, "reader", Role.ask, services.now())
    webhook_id = ended(services, f"http://{receiver.host}/told", owner=key.owner)
    services.write(keys.revoke, "reader")
    webhooks.deliver(services, webhook_id)
    assert receiver.told == []
    assert status(services) == ("FAILED", "the key that asked was revoked or has expired")


def test_receiver_is_told_while_the_key_that_asked_lasts(services: Services, receiver: _Receiver) -> None:
    allow(services, receiver)
    key = services.write(keys.add, "reader", Role.ask, services.now(), expires_at=services.now() + timedelta(days=1))
    webhooks.deliver(services, ended(services, f"http://{receiver.host}/told", owner=key.owner))
    assert receiver.told == ["/told"]


def of_addresses(services: Services, receiver: _Receiver, *addresses: str) -> list[int]:
    """Deliveries that are owed to these addresses."""
    first = ended(services, f"http://{receiver.host}{addresses[0]}")
    with services.database.write() as session:
        question = session.scalars(select(QuestionRow)).one()
        for each in addresses[1:]:
            webhooks_in_sql.add(session, question, "x", services.now(), url=f"http://{receiver.host}{each}")
    with services.database.read() as session:
        return [first, *list(session.scalars(select(WebhookRow.id).order_by(WebhookRow.id)))[1:]]


def statuses(services: Services) -> list[str]:
    with services.database.read() as session:
        return [str(status) for status in session.scalars(select(WebhookRow.status).order_by(WebhookRow.id))]


def begun(services: Services, receiver: _Receiver, address: str) -> tuple[Receiver, str]:
    """A delivery that a worker is making."""
    place = Receiver(host="127.0.0.1", address=f"http://{receiver.host}{address}")
    token = services.receivers.begin(place, delivery="default:0", now=services.now().timestamp())
    assert token is not None
    return place, token


def test_one_delivery_at_a_time_to_an_address_and_two_to_a_host(
    services: Services, outbox: Outbox, receiver: _Receiver
) -> None:
    allow(services, receiver)
    owed = of_addresses(services, receiver, "/slow?id=1", "/fast", "/other")
    slow = begun(services, receiver, "/slow")
    for each in owed[:2]:
        webhooks.deliver(services, each)
    assert (receiver.told, statuses(services)) == (["/fast"], ["WAITING", "DELIVERED", "WAITING"])
    second = begun(services, receiver, "/fast")
    webhooks.deliver(services, owed[2])
    assert (receiver.told, statuses(services)[2]) == (["/fast"], "WAITING")
    services.receivers.end(*second)
    services.receivers.end(*slow)
    with services.database.read() as session:
        waits = {row.id: (row.attempts, row.lease_by) for row in session.scalars(select(WebhookRow))}
    assert (waits[owed[0]], waits[owed[2]]) == ((0, None), (0, None))


def test_what_waits_for_a_receiver_is_sent_when_another_delivery_ends(
    services: Services, outbox: Outbox, receiver: _Receiver
) -> None:
    allow(services, receiver)
    first, second, third = of_addresses(services, receiver, "/told", "/told", "/other")
    slow = begun(services, receiver, "/told")
    for _ in range(2):
        webhooks.deliver(services, first)  # twice sent, it waits once
    assert services.receivers.end(*slow) == [f"default:{first}"]
    services.receivers.wait(None, delivery=f"default:{first}", now=services.now().timestamp())
    services.receivers.wait(None, delivery="former:1", now=services.now().timestamp())  # of a collection that is gone
    outbox.messages.clear()
    webhooks.deliver(services, second)
    assert outbox.messages == [("wellread.notify", first)]
    webhooks.deliver(services, first)
    webhooks.deliver(services, third)
    assert statuses(services) == ["DELIVERED"] * 3
    assert outbox.messages == [("wellread.notify", first)]


def test_owner_of_many_slow_receivers_takes_half_of_the_places_and_another_is_told_at_once(
    services: Services, outbox: Outbox, receiver: _Receiver
) -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(_listening(f"127.0.0.{number}")) for number in range(2, 8)]
        hosts = tuple(each.host for each in (receiver, *slow))
        services.settings = services.settings.model_copy(update={"allow_hosts": hosts, "model_threads": 8})
        of_one = [ended(services, f"http://{each.host}/told", owner="one") for each in slow]
        of_other = ended(services, f"http://{receiver.host}/told", owner="other")
        with ThreadPoolExecutor(len(slow)) as pool, ExitStack() as at_last:
            for each in slow:
                each.may_answer.clear()
                at_last.callback(each.may_answer.set)
            ended_first = as_completed([pool.submit(webhooks.deliver, services, each) for each in of_one])
            for _ in range(4):  # these have to wait
                next(ended_first)
            webhooks.deliver(services, of_other)
            assert (receiver.told, sum(len(each.told) for each in slow) <= 2) == (["/told"], True)
        while told := [int(row_id) for task, row_id in outbox.messages if task == "wellread.notify"]:
            outbox.messages.clear()
            for each in told:
                webhooks.deliver(services, each)
    assert statuses(services) == ["DELIVERED"] * 7


def test_delivery_of_a_worker_that_died_counts_no_longer_than_it_may_take(services: Services) -> None:
    place = Receiver(host="example.org", address="https://example.org/told")
    assert services.receivers.begin(place, delivery="default:1", now=100.0)
    assert services.receivers.begin(place, delivery="default:2", now=114.0) is None
    assert services.receivers.begin(place, delivery="default:2", now=116.0)
    assert services.receivers.end(place, "none") == []


def test_a_place_that_becomes_free_at_a_host_goes_to_an_address_that_has_none(services: Services) -> None:
    slow, quick, other = (Receiver(host="example.org", address=f"https://example.org/{each}") for each in range(3))
    assert services.receivers.begin(slow, delivery="default:1", now=100.0)
    token = services.receivers.begin(quick, delivery="default:2", now=100.0)
    for place, delivery in ((slow, "default:3"), (slow, "default:4"), (other, "default:5")):
        assert services.receivers.begin(place, delivery=delivery, now=101.0) is None
    assert token is not None
    assert services.receivers.end(quick, token) == ["default:5"]


def test_a_delivery_is_not_put_off_that_another_one_has_made_due(services: Services, receiver: _Receiver) -> None:
    allow(services, receiver)
    (first,) = of_addresses(services, receiver, "/told")
    with services.database.read() as session:
        seen = session.get_one(WebhookRow, first).due_at
    now = services.now()
    services.write(webhooks_in_sql.put_off, first, now, now)
    services.write(webhooks_in_sql.put_off, first, now, now + timedelta(seconds=10), seen)
    webhooks.deliver(services, first)
    assert statuses(services) == ["DELIVERED"]
