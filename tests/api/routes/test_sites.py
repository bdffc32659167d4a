"""Schedules, whole sites and the history of pages: over HTTP, and from the command line here and elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from domain.site import SiteReadStatus
from store import subscriptions
from store.crawl import site_reads, sources
from store.pages import history
from tests.api import walk
from tests.api.cli.command import wellread
from tests.api.conftest import indexed, serving
from tests.crawler.hostile import CERTIFICATE
from workers.services import Services


def test_a_schedule_is_set_changed_and_ended_over_http(http: TestClient) -> None:
    kept = http.post("/api/sources", json={"url": "https://example.org/", "every": "6h"}).json()
    assert (kept["schedule"]["every_s"], kept["next_due"] is not None) == (21_600, True)
    path = f"/api/sources/{kept['id']}"
    slower = http.patch(path, json={"min_delay": 3}).json()
    assert (slower["min_delay_s"], slower["schedule"]) == (3, kept["schedule"])
    changed = http.patch(path, json={"cron": "0 3 * * *", "zone": "Europe/Berlin"}).json()
    assert changed["schedule"] == {"every_s": None, "cron": "0 3 * * *", "zone": "Europe/Berlin"}
    assert changed["min_delay_s"] == 3
    moved = http.patch(path, json={"zone": "Asia/Tokyo"}).json()
    assert moved["schedule"] == {"every_s": None, "cron": "0 3 * * *", "zone": "Asia/Tokyo"}
    assert http.patch(path, json={"cron": "0 4 * * *"}).json()["schedule"]["zone"] == "Asia/Tokyo"
    ended = http.patch(path, json={"every": None, "cron": None}).json()
    assert (ended["schedule"], ended["next_due"]) == (None, None)


def test_what_is_not_given_when_a_site_is_added_again_stays(http: TestClient) -> None:
    http.post("/api/sources", json={"url": "https://example.org/", "min_delay": 3, "cron": "0 3 * * *"})
    again = http.post("/api/sources", json={"url": "https://example.org/", "own": True}).json()
    assert (again["own"], again["min_delay_s"], again["schedule"]["cron"]) == (True, 3, "0 3 * * *")
    assert http.patch(f"/api/sources/{again['id']}", json={"min_delay": None}).json()["min_delay_s"] is None


def test_selectors_of_a_source_are_kept_changed_and_refused_with_the_place(http: TestClient) -> None:
    url = "https://example.org/docs/"
    kept = http.post("/api/sources", json={"url": url, "select": ["main, article"], "drop": [".ad"]}).json()
    assert (kept["select"], kept["drop"]) == (["main, article"], [".ad"])
    path = f"/api/sources/{kept['id']}"
    for send, body in ((http.patch, {"drop": [".ad", "div["]}), (http.post, {"url": url, "select": ["div["]})):
        refused = send(path if send == http.patch else "/api/sources", json=body)
        assert (refused.status_code, refused.json()["type"]) == (422, "bad-selector")
        assert "'div[' cannot be read at character 5" in refused.json()["detail"]
    assert http.patch(path, json={"select": ["x" * 201]}).status_code == 422
    assert http.patch(path, json={"select": [f"p.a{n}" for n in range(31)]}).status_code == 422
    assert http.get("/api/sources").json()[0]["drop"] == [".ad"]
    assert http.patch(path, json={"select": []}).json()["select"] == []


def test_a_source_takes_its_own_pages_with_it_and_no_others(http: TestClient, services: Services) -> None:
    site = "https://en.example.org/wiki/Lighthouse"
    kept = http.post("/api/sources", json={"url": site}).json()
    http.post("/api/sources", json={"url": "https://en.example.org/wiki/Lighthouse/Keepers"})
    own = [site, f"{site}?action=raw", "http://en.example.org/wiki/Lighthouse/Lamp", site.replace("//", "//www.")]
    others = [
        "https://en.example.org/wiki/Lighthouses",
        "https://en.example.org/wiki/lighthouse",
        "https://en.example.org/wiki/Tower",
        "https://en.example.org/wiki/Lighthouse/Keepers/Berg",
    ]
    for url in own + others:
        walk.keep_page(services, url)
    assert http.delete(f"/api/sources/{kept['id']}", params={"pages": True}).status_code == 204
    found = {url: http.get("/api/pages", params={"url": url}).status_code for url in own + others}
    assert found == dict.fromkeys(own, 404) | dict.fromkeys(others, 200)
    assert len(http.get("/api/sources").json()) == 1


def test_a_source_stays_until_its_pages_are_gone(
    http: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = http.post("/api/sources", json={"url": "https://example.org/"}).json()
    walk.keep_page(services)
    with monkeypatch.context() as broken:
        broken.setattr("workers.deletion.delete_pages", _fails)
        assert http.delete(f"/api/sources/{kept['id']}", params={"pages": True}).status_code == 500
    assert http.delete(f"/api/sources/{kept['id']}", params={"pages": True}).status_code == 204
    assert http.get("/api/pages", params={"url": "https://example.org/tower"}).status_code == 404


def _fails(*_: object) -> int:
    raise RuntimeError("the disk is full")


def test_what_is_no_schedule_is_a_clear_problem_and_keeps_nothing(http: TestClient) -> None:
    refused = http.post("/api/sources", json={"url": "https://example.org/", "cron": "0 25 * * *"})
    assert (refused.status_code, refused.json()["type"]) == (422, "bad-schedule")
    assert "wrong hour" in refused.json()["detail"]
    assert http.get("/api/sources").json() == []
    assert http.patch("/api/sources/77", json={"every": "6h"}).status_code == 404


def test_a_site_read_is_begun_paused_resumed_and_cancelled_over_http(http: TestClient) -> None:
    begun = http.post("/api/site-reads", json={"url": "https://example.org/docs/", "max_pages": 50})
    path = begun.headers["location"]
    assert (begun.status_code, begun.json()["status"], begun.json()["prefix"]) == (
        202, "RUNNING", "https://example.org/docs/",
    )  # fmt: skip
    assert [http.post(f"{path}/{act}").json()["status"] for act in ("pause", "resume", "cancel")] == [
        "PAUSED", "RUNNING", "CANCELLED",
    ]  # fmt: skip
    assert http.get("/api/site-reads").json()[0]["id"] == begun.json()["id"]
    assert http.post(f"{path}/pause").json()["type"] == "site-read-over"
    assert http.get("/api/site-reads/77").status_code == 404
    assert http.post("/api/site-reads", json={"url": "http://127.0.0.1:9/"}).status_code == 422


def test_a_page_tells_its_history(http: TestClient, services: Services) -> None:
    page_id = walk.keep_page(services)
    with services.database.write() as session:
        for outcome in ("new", "unchanged", "unchanged"):
            history.add(session, page_id, outcome=outcome, status=200, content_hash="h", now=services.now())
    by_url = http.get("/api/pages", params={"url": "https://example.org/tower"}).json()
    assert by_url == http.get(f"/api/pages/{page_id}").json()
    assert [(check["outcome"], check["times"]) for check in by_url["history"]] == [("unchanged", 2), ("new", 1)]
    assert http.get("/api/pages", params={"url": "https://example.org/none"}).status_code == 404


def test_commands_set_and_show_a_schedule(placed: Services) -> None:
    assert wellread("source", "add", "https://example.org/", "--every", "6h").exit_code == 0
    assert "every 6h, next 2" in wellread("source", "list").output
    edited = wellread("source", "edit", "example.org", "--cron", "0 3 * * *", "--delay", "2")
    assert "cron 0 3 * * * (UTC)" in edited.output
    assert "2 s between requests" in wellread("source", "list").output
    assert (
        "cron 0 3 * * * (Europe/Berlin)" in wellread("source", "edit", "example.org", "--zone", "Europe/Berlin").output
    )
    assert "cron 0 4 * * * (Europe/Berlin)" in wellread("source", "edit", "example.org", "--cron", "0 4 * * *").output
    assert "cron" not in wellread("source", "edit", "example.org", "--no-schedule").output
    wrong = wellread("source", "edit", "example.org", "--cron", "0 25 * * *")
    assert (wrong.exit_code, "wrong hour" in wrong.stderr) == (1, True)
    assert wellread("source", "edit", "example.org").exit_code == 2


SECRET = "sesame-7f3a"


def test_what_belongs_to_a_source_is_set_shown_and_taken_back(placed: Services, http: TestClient) -> None:
    limits = ["--include", "/en/*", "--include", "/de/*", "--exclude", "*.pdf", "--depth", "2"]
    added = wellread("source", "add", "https://example.org/", *limits).output
    assert "(at most 2 links deep) (only /en/*, /de/*) (without *.pdf)" in added
    (kept,) = http.get("/api/sources").json()
    assert (kept["include"], kept["exclude"], kept["depth"], kept["page_only"]) == (
        ["/en/*", "/de/*"],
        ["*.pdf"],
        2,
        False,
    )
    assert "(this page only)" in wellread("source", "edit", "example.org", "--page-only").output
    assert "page only" not in wellread("source", "edit", "example.org", "--no-page-only").output
    assert "(" not in wellread("source", "edit", "example.org", "--no-limits").output
    assert wellread("source", "edit", "example.org", "--no-limits", "--depth", "1").exit_code == 2
    for wrong in ({"include": [""]}, {"include": ["a\nb"]}, {"depth": -1}, {"exclude": ["x"] * 99}):
        assert http.patch(f"/api/sources/{kept['id']}", json=wrong).status_code == 422


def test_how_a_source_is_reached_is_set_and_never_shown(placed: Services, http: TestClient, tmp_path: Path) -> None:
    (tmp_path / "login").write_text(f"reader:{SECRET}\n")
    ways = ["--header", f"X-Token: {SECRET}", "--basic", f"@{tmp_path / 'login'}", "--cookie", f"s={SECRET}"]
    ways += ["--ca", str(CERTIFICATE), "--proxy", f"http://me:{SECRET}@127.0.0.1:3128"]
    shown = wellread("source", "add", "https://wiki.example/", "--own", "--ignore-robots", *ways)
    assert shown.exit_code == 0
    assert "(own) (ignores robots.txt) (with headers, user, password, cookies, ca, proxy)" in shown.output
    with placed.database.read() as session:
        (stored,) = sources.secrets(session).values()
    assert (stored["user"], stored["password"], stored["headers"]) == ("reader", SECRET, {"X-Token": SECRET})
    assert SECRET not in shown.output + wellread("source", "list").output + http.get("/api/sources").text
    kept = wellread("source", "edit", "wiki.example", "--header", "X-Other: 1", "--no-ignore-robots").output
    assert "(with headers, user, password, cookies, ca, proxy)" in kept
    assert "robots" not in kept
    assert wellread("source", "edit", "wiki.example", "--no-access").output.count("(") == 1
    assert wellread("source", "edit", "wiki.example", "--header", f"@{tmp_path / 'none'}").exit_code == 2


@pytest.mark.parametrize(
    ("access", "kind"),
    [
        ({"headers": {"Host": SECRET}}, "bad-request"),
        ({"headers": {"X-Token": f"{SECRET}\r\nX-Other: 1"}}, "bad-request"),
        ({"cookies": {"a": f"{SECRET};b"}}, "bad-request"),
        ({"user": f"a\n{SECRET}"}, "bad-request"),
        ({"token": SECRET}, "bad-request"),
        ({"ca": SECRET}, "bad-access"),
        ({"certificate": SECRET, "key": SECRET}, "bad-access"),
        ({"proxy": f"ftp://me:{SECRET}@proxy.example"}, "bad-access"),
    ],
)
def test_access_that_cannot_be_used_is_refused_without_repeating_it(
    http: TestClient, access: dict[str, object], kind: str
) -> None:
    refused = http.post("/api/sources", json={"url": "https://wiki.example/", "own": True, "access": access})
    assert (refused.status_code, refused.json()["type"]) == (422, kind)
    assert SECRET not in refused.text
    assert http.get("/api/sources").json() == []


def test_only_a_source_of_ones_own_ignores_robots_or_has_access(http: TestClient) -> None:
    for wanted in ({"ignore_robots": True}, {"access": {"user": "a"}}):
        refused = http.post("/api/sources", json={"url": "https://wiki.example/", **wanted})
        assert (refused.status_code, refused.json()["type"]) == (422, "not-your-own")
    kept = http.post("/api/sources", json={"url": "https://wiki.example/"}).json()
    assert http.patch(f"/api/sources/{kept['id']}", json={"ignore_robots": True}).status_code == 422
    assert not http.get("/api/sources").json()[0]["ignore_robots"]


def test_commands_show_pause_resume_and_cancel_a_site_read(placed: Services) -> None:
    from workers.crawl import sites

    begun = str(sites.start(placed, "https://example.org/").id)
    assert "running" in wellread("reads", "list").output
    assert "paused" in wellread("reads", "pause", begun).output
    assert json.loads(wellread("reads", "show", begun, "--json").output)["status"] == "PAUSED"
    assert "running" in wellread("reads", "resume", begun).output
    assert "cancelled" in wellread("reads", "cancel", begun).output
    assert wellread("reads", "pause", begun).exit_code == 1
    assert wellread("reads", "show", "77").exit_code == 1


def test_the_history_of_a_page_is_shown(placed: Services) -> None:
    page_id = walk.keep_page(placed)
    with placed.database.write() as session:
        history.add(session, page_id, outcome="changed", status=200, content_hash="abc", now=placed.now())
    for url in ("https://example.org/tower", "example.org/tower"):
        shown = wellread("pages", "show", url)
        assert ("changed" in shown.output, "due again" in shown.output) == (True, True)
    assert wellread("pages", "show", "https://example.org/none").exit_code == 1


def test_finished_site_read_is_printed_as_json(url_of_api: str, services: Services) -> None:
    from workers.crawl import sites

    begun = sites.start(services, "https://example.org/")
    with services.database.write() as session:
        row = site_reads.lock(session, begun.id)
        assert row is not None
        site_reads.put_back(session, begun.id, services.now())
        row.max_pages, row.looked_at, row.new = 3, 3, 3
    sites.resume_stalled(services)
    shown = wellread("reads", "show", str(begun.id), "--follow", "--json")
    assert (shown.exit_code, json.loads(shown.stdout)["status"]) == (0, SiteReadStatus.DONE)


def test_site_read_of_which_pages_failed_tells_how_many_and_how_to_see_why(url_of_api: str, services: Services) -> None:
    from workers.crawl import sites

    begun = sites.start(services, "https://example.org/guide/")
    with services.database.write() as session:
        row = site_reads.lock(session, begun.id)
        assert row is not None
        row.looked_at, row.new, row.failed = 3, 1, 2
    *_, hint = wellread("reads", "show", str(begun.id)).stdout.splitlines()
    assert "2 failed" in wellread("reads", "list").stdout
    command = "`wellread pages list --not-read --site https://example.org/guide/`"
    assert hint.strip().startswith(f"{command} says why")


@pytest.fixture
def url_of_api(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with serving(app) as url:
        monkeypatch.setenv("WELLREAD_API_URL", url)
        yield url


def test_sites_that_are_added_together_are_added_but_for_those_that_are_refused(url_of_api: str) -> None:
    added = wellread("source", "add", "https://example.org/a/", "http://10.0.0.1/", "https://example.org/b/")
    assert added.exit_code == 1
    assert "http://10.0.0.1/: 'http://10.0.0.1/' names an address that is not public" in added.stderr
    listed = wellread("source", "list").stdout
    assert [url for url in ("a/", "10.0.0.1", "b/") if url in listed] == ["a/", "b/"]


def test_all_pages_below_a_url_are_deleted_and_no_others(url_of_api: str, services: Services) -> None:
    for url in ("https://example.org/board/", "https://example.org/board/may", "https://example.org/boards"):
        walk.keep_page(services, url)
    with indexed(services, 1), indexed(services, 2):
        assert "2 pages deleted" in wellread("delete", "https://example.org/board/", "--whole").stdout
    assert "boards" in (listed := wellread("pages", "list").stdout)
    assert "/board/" not in listed


def test_subscription_is_made_changed_and_shown_on_the_command_line(url_of_api: str, services: Services) -> None:
    said = wellread("subscribe", "ferry", "--subject", "--every", "1d").stdout
    assert f"Feed: {url_of_api}/api/subscriptions/" in said
    made = services.read(subscriptions.list_all)[0]
    assert "Name what to change" in wellread("subscriptions", "edit", made.id).stderr
    assert wellread("subscriptions", "edit", made.id, "--cron", "0 7 * * 1", "--pause").exit_code == 0
    assert "cron 0 7 * * 1 (UTC), paused" in wellread("subscriptions", "list").stdout
    with services.database.write() as session:
        row, now = subscriptions.get(session, made.id), services.now()
        cited = [{"n": 1, "url": "https://example.org/ferry", "title": "Ferry", "quote": "It sails."}]
        subscriptions.add_news(session, row, now, title="ferry: the state", text="", citations=[], pages={})
        subscriptions.add_news(session, row, now, title="ferry: news", text="It sails. [1]", citations=cited, pages={})
    _, *news, first, nothing = wellread("subscriptions", "news", made.id).stdout.splitlines()
    assert news == ["    It sails. [1]", "    [1] https://example.org/ferry"]
    assert (first.split("  ")[1], nothing.strip()) == ("ferry: the state", "Nothing on it was found yet.")
