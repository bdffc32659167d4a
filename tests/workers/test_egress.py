"""WELLREAD_EGRESS bounds what leaves the machine, and each refusal names it."""

from __future__ import annotations

import contextlib
import http.server
from collections.abc import Iterator

import pytest
import redis
from pydantic import SecretStr

from api.operations import resources
from api.operations.doctor import diagnose
from crawler.fetch.guard import EgressForbidden
from domain import ReadOutcome
from domain.errors import WellreadError
from store.embedders import EmbeddingRefused
from store.sql.database import migrate
from tests.servers import running
from tests.workers.crawl.one_candidate import read_one
from tests.workers.crawl.test_seek_engines import ServicesFor
from workers import mail, monitoring, remote_folders
from workers.egress import routes
from workers.questions import submit
from workers.questions.callbacks import BadCallback
from workers.questions.submit import BadSite
from workers.services.web import switched_on
from workers.settings import load

PUBLIC, OTHER = "https://docs.example.org/", "https://other.example.net/page"


@pytest.fixture
def services_for(valkey_url: str) -> Iterator[ServicesFor]:
    redis.Redis.from_url(valkey_url).flushall()
    with contextlib.ExitStack() as stack:
        yield ServicesFor(valkey_url, stack)


class _Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:  # the interface's name
        body = b"<html><title>Crane</title><p>The crane of the harbour lifts forty tonnes at low tide.</p></html>"
        self.send_response(200 if self.path != "/robots.txt" else 404)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


def test_own_sites_are_read_whatever_the_switch_says(services_for: ServicesFor) -> None:
    services = services_for(egress="none", min_delay_s=0.0)
    migrate(services.settings.database)
    with running(http.server.HTTPServer(("127.0.0.1", 0), _Site)) as site:
        submit.add_source(services, f"{site}/", own=True)
        assert read_one(services, f"{site}/").outcome == ReadOutcome.READ


@pytest.mark.parametrize(
    ("url", "may"),
    [
        ("smtp://smtp.example.org", False),
        ("smtp://mail.internal", True),
        ("smtp://mail.internal:2525", False),
        ("smtp://[::1]:25", True),
    ],
)
def test_email_leaves_by_the_servers_own_port_and_no_proxy(
    url: str, may: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:3128")
    settings = load(egress="none", allow_hosts=["mail.internal:587"], smtp_url=url, smtp_from="w@example.org")
    (route,) = [each for each in routes(settings, ()) if each.what == "e-mail"]
    assert route.allowed == may
    if not may:
        said = mail.send(settings, "anna@example.org", title="News", text="…", message_id="1")
        assert said is not None
        assert "WELLREAD_EGRESS" in said


@pytest.mark.parametrize("address", ["a..b@example.org", ".a@example.org", "a@example.org\nBcc: b@c.de", "anna", ""])
def test_address_that_no_email_can_have_is_refused(address: str) -> None:
    settings = load(smtp_url="smtp://127.0.0.1", smtp_from="w@example.org")
    with pytest.raises(mail.BadEmail):
        mail.check(settings, address)


@pytest.mark.parametrize("url", ["smtp://u:s3/cret@h:25", "smtp://h:x", "http://h"])
def test_smtp_address_that_is_none_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(WellreadError) as refused:
        load(smtp_url=url)
    assert "percent-encoded" in str(refused.value)
    assert "s3" not in str(refused.value)


@pytest.mark.parametrize("egress", ["none", "sources"])
def test_other_hosts_are_not_read_and_the_reason_names_the_switch(services_for: ServicesFor, egress: str) -> None:
    services = services_for(egress=egress)
    migrate(services.settings.database)
    row = read_one(services, OTHER)
    assert row.outcome == ReadOutcome.BLOCKED
    assert f"WELLREAD_EGRESS={egress} forbids requests to" in (row.reason or "")
    with pytest.raises(BadSite, match=f"WELLREAD_EGRESS={egress} forbids requests to {OTHER}"):
        submit.read_url(services, OTHER)


def test_sources_are_read_if_the_switch_allows_them(services_for: ServicesFor) -> None:
    services = services_for(egress="sources")
    migrate(services.settings.database)
    submit.add_source(services, PUBLIC, own=False)
    assert submit.check_site(services, f"{PUBLIC}guide") == f"{PUBLIC}guide"
    with pytest.raises(BadSite, match="and the hosts of sources"):
        submit.check_site(services, OTHER)
    with pytest.raises(BadSite, match="WELLREAD_EGRESS=none"):
        submit.add_source(services_for(egress="none"), PUBLIC, own=False)


def test_a_source_is_not_left_by_a_redirect(services_for: ServicesFor) -> None:
    services = services_for(egress="sources", min_delay_s=0.0)
    migrate(services.settings.database)

    class Leading(_Site):
        def do_GET(self) -> None:
            self.send_response(302 if self.path != "/robots.txt" else 404)
            self.send_header("location", OTHER)
            self.send_header("content-length", "0")
            self.end_headers()

    with running(http.server.HTTPServer(("127.0.0.1", 0), Leading)) as site:
        submit.add_source(services, f"{site}/", own=True)
        row = read_one(services, f"{site}/")
    assert (row.outcome, "WELLREAD_EGRESS=sources forbids" in (row.reason or "")) == (ReadOutcome.BLOCKED, True)


@pytest.mark.parametrize("egress", ["none", "sources"])
def test_webhooks_go_to_allowed_hosts_only(services_for: ServicesFor, egress: str) -> None:
    services = services_for(egress=egress, allow_hosts="127.0.0.1:9")
    assert submit.check_callback(services, "http://127.0.0.1:9/done") == "http://127.0.0.1:9/done"
    with pytest.raises(BadCallback, match=f"WELLREAD_EGRESS={egress} forbids"):
        submit.check_callback(services, OTHER)
    with pytest.raises(EgressForbidden):
        services.wait_for(services.callback_client().post(OTHER, body=b"{}"))


@pytest.mark.parametrize("egress", ["none", "sources"])
def test_no_search_engine_is_asked(services_for: ServicesFor, egress: str) -> None:
    services = services_for(egress=egress, brave_key="k", wikipedia=True)
    assert (switched_on(services.settings), services.engines) == ((), ())
    [check] = diagnose(services, "search engines")
    assert f"WELLREAD_EGRESS={egress} forbids search engines (brave, wikipedia)" in check.finding
    with pytest.raises(EgressForbidden):
        services.wait_for(services.engine_client.get("https://api.search.brave.com/"))


@pytest.mark.parametrize("egress", ["none", "sources"])
def test_a_model_is_asked_on_this_machine_or_a_host_of_your_own_only(services_for: ServicesFor, egress: str) -> None:
    remote = services_for(egress=egress, anthropic_api_key=SecretStr("k"))
    assert (remote.settings.has_model, remote.model) == (False, None)
    [check] = diagnose(remote, "language model")
    assert (
        f"WELLREAD_EGRESS={egress} forbids requests to the language model at https://api.anthropic.com" in check.finding
    )
    local = services_for(egress=egress, model_base_url="http://127.0.0.1:11434/v1", large_model="m")
    assert local.settings.has_model
    assert local.model is not None
    own = {"model_base_url": "http://llm.lan:8000/v1", "large_model": "m"}
    assert not load(egress=egress, **own).has_model
    assert load(egress=egress, allow_hosts="llm.lan:8000", **own).has_model
    assert load(egress="all", **own).has_model


def test_a_proxy_of_the_environment_counts_as_what_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load(egress="none")
    assert settings.may_reach("http://localhost:11434/v1")
    monkeypatch.setenv("http_proxy", "http://proxy.example.org:3128")
    assert not settings.may_reach("http://localhost:11434/v1")
    assert load(egress="none", allow_hosts="proxy.example.org:3128").may_reach("http://localhost:11434/v1")
    monkeypatch.setenv("no_proxy", "localhost")
    assert settings.may_reach("http://localhost:11434/v1")


def test_an_embedder_elsewhere_is_not_asked(services_for: ServicesFor) -> None:
    with pytest.raises(EmbeddingRefused, match=r"WELLREAD_EGRESS=none forbids the embedder at api\.openai\.com"):
        _ = services_for(egress="none", embedder="openai:text-embedding-3-small").embedder
    own = services_for(egress="none", embedder="openai:e", embedder_base_url="http://127.0.0.1:9/v1")
    assert own.embedder.id == "openai:e"


def test_traces_go_to_a_collector_of_your_own_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitoring, "_is_installed", lambda: True)
    for egress, collector, is_on in (
        ("none", "http://collector.example.org:4318", False),
        ("none", "http://127.0.0.1:4318", True),
        ("all", "http://collector.example.org:4318", True),
    ):
        monitoring._may_be_reached.cache_clear()
        monkeypatch.setenv("WELLREAD_EGRESS", egress)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector)
        assert monitoring.is_on() == is_on, (egress, collector)
    monitoring._may_be_reached.cache_clear()


def test_what_may_leave_is_listed_with_its_hosts_and_settings(services_for: ServicesFor) -> None:
    services = services_for(egress="sources", brave_key="k", anthropic_api_key="k", allow_hosts="wiki.lan:80")
    migrate(services.settings.database)
    submit.add_source(services, PUBLIC, own=False)
    remote_folders.watch(services, "https://git.example.org/o/r.git", access={"password": "s3cret"})
    [check] = diagnose(services, "egress")
    leaves, _, forbidden = check.finding.partition(". forbidden: ")
    assert leaves.startswith("sources. leaves: requests for pages to wiki.lan:80, docs.example.org (")
    assert "webhooks to wiki.lan:80 (WELLREAD_ALLOW_HOSTS)" in leaves
    assert "requests for files to git.example.org (watched folders)" in leaves
    assert "queries to api.search.brave.com (WELLREAD_BRAVE_KEY)" in forbidden
    assert "questions and passages to api.anthropic.com (WELLREAD_ANTHROPIC_API_KEY)" in forbidden
    assert resources.egress(services) == resources.Diagnosis("ok", check.finding)
    [everything] = diagnose(services_for(egress="all"), "egress")
    assert everything.finding.startswith("all. leaves: requests for pages to any public host")
