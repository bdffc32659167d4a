"""Test that every output is plain words: no script runs, no image is fetched, nothing controls a terminal or stream."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.cli.answer import event_lines, record_lines
from api.cli.output import print_json
from api.cli.width import Style
from tests.api.conftest import LOCAL, serving
from tests.api.web.browser import browser
from tests.safety.conftest import Library
from text.invisible import strip_invisible
from wellread import Event, Record
from wellread.responses import to_value

#: 143 pages are read from a server, and asked about, once for all
pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

_OWN_COLOURS = re.compile(r"\x1b\[[\d;]*m")


@pytest.fixture(scope="module")
def http(library: Library) -> Iterator[TestClient]:
    with TestClient(create_app(library.services), base_url=LOCAL) as client:
        yield client


@pytest.fixture(scope="module")
def records(library: Library, http: TestClient) -> list[dict[str, Any]]:
    return [http.get(f"/api/questions/{id}").json() for id in library.ids]


def test_every_page_was_read_and_none_made_the_reader_ask_elsewhere(library: Library) -> None:
    assert {path for path, _ in library.site.asked} == {"/robots.txt", *(page.path for page in library.pages)}
    assert library.collector.asked == []


def test_no_record_follows_its_page_or_holds_what_no_reader_sees(
    library: Library, records: list[dict[str, Any]]
) -> None:
    for page, record in zip(library.pages, records, strict=True):
        assert not any(planted in (record["answer"] or "") for planted in page.planted), page.path
        told = json.dumps(record, ensure_ascii=False)
        assert strip_invisible(told) == told, page.path
        if page.attack.is_unseen:
            own = [entry for entry in (*record["context"], *record["citations"]) if entry["url"].endswith(page.path)]
            assert own, page.path
            assert not any(planted in json.dumps(own, ensure_ascii=False) for planted in page.planted), page.path


def test_every_citation_is_the_stored_text_of_its_page(http: TestClient, records: list[dict[str, Any]]) -> None:
    texts: dict[int, str] = {}
    for cited in (citation for record in records for citation in record["citations"]):
        if cited["page_id"] not in texts:
            texts[cited["page_id"]] = http.get(f"/api/pages/{cited['page_id']}").json()["text"]
        assert texts[cited["page_id"]][cited["start"] : cited["end"]] == cited["quote"]


def test_answers_hold_no_markdown_that_a_program_would_fetch_or_follow(records: list[dict[str, Any]]) -> None:
    for record in records:
        said = [record["answer"], *(sentence["text"] for sentence in record["sentences"])]
        for text in filter(None, said):
            assert "![" not in text
            assert not re.search(r"\]\(\s*(?:[a-z]+:|//)", text)


def test_json_is_never_taken_for_a_page_of_ours(library: Library, http: TestClient) -> None:
    for path in (f"/api/questions/{library.ids[0]}", "/api/pages/1", "/api/questions/<script>alert(1)</script>"):
        response = http.get(path)
        assert "json" in response.headers["content-type"]
        assert response.headers["x-content-type-options"] == "nosniff"


def test_no_event_is_made_up_by_what_a_page_says(library: Library, http: TestClient) -> None:
    for id in library.ids:
        stream = http.get(f"/api/questions/{id}/events").text
        fields = [line.partition(": ") for line in re.split(r"\r\n|\r|\n", stream) if line]
        assert {name for name, _, _ in fields if name} <= {"event", "id", "data", "retry"}
        kinds = [value for name, _, value in fields if name == "event"]
        assert set(kinds) <= {"status", "page", "provisional", "final"}
        assert kinds.count("final") == 1
        told = [value for name, _, value in fields if name == "data"]
        assert len(told) == len(kinds)
        assert all(strip_invisible(each) == each and isinstance(json.loads(each), dict) for each in told)


@pytest.mark.parametrize("width", [40, 100])
def test_terminal_shows_letters_and_our_own_colours_only(
    records: list[dict[str, Any]], width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    look = Style(width=width, colour=True)
    for record in records:
        events = [
            Event(id="1-0", kind="provisional", data={"answer": record["answer"] or ""}),
            *(
                Event(id="1-0", kind="page", data={"url": c["url"], "text": c["title"], "outcome": "failed",
                                                   "reason": c["quote"]})
                for c in record["citations"]
            ),
        ]  # fmt: skip
        read = to_value(Record, record)
        lines = [*record_lines(read, look), *(line for e in events for line in event_lines(e, 1.0, look))]
        for line in lines:
            plain = _OWN_COLOURS.sub("", line)
            assert strip_invisible(plain) == plain
            assert "\n" not in plain
        print_json(read.json)
        shown = capsys.readouterr().out
        assert strip_invisible(shown) == shown


def test_webhooks_carry_the_record_as_ascii_json(library: Library, records: list[dict[str, Any]]) -> None:
    bodies = [body for path, body in library.receiver.asked if path == "/hook"]
    assert len(bodies) == len(records)
    for body, record in zip(bodies, records, strict=True):
        assert all(32 <= byte < 127 for byte in body)
        assert json.loads(body)["question"]["answer"] == record["answer"]


def test_logs_hold_nothing_of_what_pages_say(library: Library) -> None:
    assert library.logs
    for entry in library.logs:
        told = json.dumps(entry, default=str, ensure_ascii=False)
        assert strip_invisible(told) == told
        for page in library.pages:
            assert page.answer not in told
            assert not any(planted in told for planted in page.planted)


_SEEN = """(() => {
  const made = [...document.querySelectorAll('main *, #beside *')];
  return {
    title: document.title,
    foreign: made.filter((each) => /^(img|script|iframe|svg|object|embed|style|form|base|meta)$/i.test(each.tagName)
      && !/^(ask|key-form)$/.test(each.id)).map((each) => each.outerHTML),
    handlers: made.filter((each) => [...each.attributes].some((one) => one.name.startsWith('on'))).length,
    links: [...document.querySelectorAll('main a, #beside a')].map((each) => each.protocol),
    text: document.getElementById('text').innerText,
  };
})()"""


@pytest.mark.live
@pytest.mark.timeout(400)
def test_page_runs_no_script_and_fetches_nothing_from_elsewhere(
    library: Library, records: list[dict[str, Any]]
) -> None:
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip("no Chromium here")
    with serving(create_app(library.services)) as url, browser(executable) as tab:
        tab.open(url)
        for page, record in zip(library.pages, records, strict=True):
            tab.run(f"location.hash = '{record['id']}'")
            tab.wait(f"document.getElementById('asked-text').textContent === {json.dumps(record['question'])}")
            tab.wait("!document.getElementById('answer').hidden")
            tab.wait(f"document.querySelectorAll('#citations li button').length === {len(record['citations'])}")
            for at in range(len(record["citations"])):  # each with its passage beside the answer
                tab.run(f"document.querySelectorAll('#citations li button')[{at}].click()")
                tab.wait("document.querySelector('#beside-text mark')")
                seen = tab.run(_SEEN)
                assert seen["title"] == f"{record['question']} – Wellread", page.path
                assert (seen["foreign"], seen["handlers"]) == ([], 0), page.path
                assert set(seen["links"]) <= {"http:", "https:"}, page.path
                assert not any(planted in seen["text"] for planted in page.planted), page.path
        assert tab.complaints == []
    assert library.collector.asked == []
