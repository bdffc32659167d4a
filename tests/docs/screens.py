"""Take the pictures of the web page for the docs (`make screens`): docs/screens/*.webp.

A real run: the demonstration's site is read by real workers, questions are asked on the page, and what it then shows is
taken at 1280 and at 390 pixels. Only the day behind the plots of "Operations" is made up.
"""

from __future__ import annotations

import base64
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

from api.cli import demo
from api.cli.demo.site_server import SiteServer, serve
from domain import Cost, Status
from domain.flow import FINAL
from store.questions import new_questions, trace
from store.questions.new_questions import NewQuestion
from store.sql.tables import QuestionRow
from tests import office
from tests.api.web.asking import ask, open_place, until_answered
from tests.api.web.browser import DESK, Tab, opened_at
from tests.crawler.extract import pdfs
from tests.docs.blocks import ROOT
from tests.own_stack import own_stack, until
from wellread import Client
from workers.services import Services
from workers.settings import load

PLACE: Final = ROOT / "docs" / "screens"
SMALL = (390, 844)
LONG_S: Final = 900.0

ASKED: Final = (
    "Why was the mercury drained from the lighthouse?",
    "What does a return ticket for the ferry cost?",
    "At what swell does the skipper refuse to land passengers?",
)
#: asked on the page, one after the other: both have a sure answer
SHOWN: Final = "How many steps are there to the lantern?"
FOLLOW_UP: Final = "And how often does it flash?"
#: what is in the middle of a picture
_SHOWN: Final = {"answer": "#beside mark", "feedback": "#feedback", "replay": "#operations-dead"}
#: hours ago, status, seconds from asking to the end
DAY: Final = tuple(
    (hour, Status.FAILED if each == 7 else Status.ABSTAINED if each % 5 == 4 else Status.ANSWERED, 2.0 + 7 * (each % 4))
    for each, hour in enumerate((21, 17, 16, 16, 15, 12, 11, 9, 9, 8, 8, 8, 6, 5, 5, 3, 2, 2, 1))
)


def main() -> None:
    """Write all pictures."""
    with tempfile.TemporaryDirectory() as folder, serve() as site, _stack(Path(folder)) as (url, services):
        _fill(url, services, site)
        with opened_at(url) as tab:
            for name, dark in _scenes(tab, services, Path(folder)):
                _take(tab, name, dark=dark)


@contextmanager
def _stack(folder: Path) -> Iterator[tuple[str, Services]]:
    with own_stack(folder / "data") as stack:
        services = Services(load())
        try:
            yield stack.address.api_url, services
        finally:
            services.close()


def _fill(url: str, services: Services, site: SiteServer) -> None:
    """Have the site read, some questions asked, and a day behind them."""
    with Client(url) as client:
        client.add_source(site.origin, own=True, min_delay_s=0.0)
        begun = client.read_site(site.origin)
        until(lambda: client.site_read(begun.id).is_final and not client.site_read(begun.id).embedding, LONG_S)
        _make_up_a_day(services)
        for question in ASKED:
            until(partial(_is_final, client, client.submit(question)), LONG_S)
        client.add_collection("ferry", exclude_sites=["https://example.org/forum/"])
        client.add_collection("handbook")
        client.add_key("reader", role="ask", collections=["ferry"])


def _is_final(client: Client, question_id: str) -> bool:
    return client.get(question_id).status in FINAL


def _make_up_a_day(services: Services) -> None:
    now = services.now()
    script = json.loads((Path(demo.__file__).parent / "questions.json").read_text())
    texts = [each["question"] for each in script["more"]]
    for each, (hours, status, seconds) in enumerate(DAY):
        with services.database.write() as session:
            asked, _ = new_questions.ask(session, NewQuestion(text=texts[each % len(texts)], reuse=False), now)
            row = session.get_one(QuestionRow, asked.id)
            row.status, row.created_at = status, now - timedelta(hours=hours)
            row.finished_at = row.updated_at = row.created_at + timedelta(seconds=seconds)
            row.error = "The model at 127.0.0.1:11434 did not answer five times." if status is Status.FAILED else None
            cost = {"cost": vars(Cost(model="m", input_tokens=900, output_tokens=60, usd=0.01))}
            trace.add(session, row, "retrieve", outcome="", detail=cost, started_at=row.created_at, now=row.finished_at)


def _scenes(tab: Tab, services: Services, folder: Path) -> Iterator[tuple[str, bool]]:
    """Bring the page to what is taken; yields its name, and whether it is taken in the dark, too."""
    tab.resize(*DESK)
    tab.wait("document.querySelector('.example')", LONG_S)
    yield "first", False
    ask(tab, SHOWN)
    until_answered(tab, LONG_S)
    tab.run("document.querySelector('#text .marker').click()")
    tab.wait("document.querySelector('blockquote mark')", LONG_S)
    yield "answer", True
    tab.press("Escape")
    ask(tab, FOLLOW_UP)
    until_answered(tab, LONG_S)
    tab.run("scrollTo(0, 0)")
    yield "follow-up", False
    tab.click("Wrong source", "#feedback")
    tab.wait("document.querySelector('#feedback input')")
    tab.fill("#feedback input", "It is said on the page on the lens.")
    yield "feedback", False
    tab.run("document.querySelector('#history li:has([aria-current]) .change').click()")
    tab.click("Delete", "#history form")
    tab.wait("document.querySelector('dialog').open")
    yield "deletion", True
    tab.click("Keep it", "dialog")
    tab.click("Cancel", "#history form")
    yield from _places(tab, services, folder)


def _places(tab: Tab, services: Services, folder: Path) -> Iterator[tuple[str, bool]]:
    open_place(tab, "files")
    _upload(tab, folder)
    yield "upload", False
    open_place(tab, "sources")
    tab.wait("document.querySelector('#sources td')")
    tab.fill("#sources td input", "6h")
    tab.click("Save", "#sources")
    tab.wait("document.querySelector('#sources time')")
    yield "sources", False
    open_place(tab, "collections")
    tab.wait(
        "document.querySelector('#collections td') && !document.querySelector('#collections').innerText.includes('…')"
    )
    yield "collections", False
    open_place(tab, "keys")
    tab.wait("document.querySelector('#add-key')")
    tab.fill("#add-key input", "editor")
    tab.click("Make", "#add-key")
    tab.wait("document.querySelector('#secret input') && document.querySelectorAll('#keys tbody tr').length === 2")
    yield "keys", False
    open_place(tab, "operations")
    tab.wait("document.querySelector('#operations-plots svg') && document.querySelector('#operations-dead td')")
    yield "operations", True
    yield "replay", False


def _upload(tab: Tab, folder: Path) -> None:
    """Three files, one of which cannot be read."""
    rules, rota, secret = folder / "station-rules.docx", folder / "rota.md", folder / "contract.pdf"
    rules.write_bytes(office.docx())
    rota.write_text("# Rota\n\nAlma Rasmussen keeps the lamp in May, Bruno Lindqvist in June.\n")
    secret.write_bytes(pdfs.pdf([["secret"]], password="x"))
    tab.choose("#upload input[type=file]", rules, rota, secret)
    tab.click("Upload", "#upload")
    tab.wait("document.querySelectorAll('#files tbody tr').length === 3", LONG_S)
    tab.wait("!document.querySelector('#files').innerText.includes('being read')", LONG_S)


def _take(tab: Tab, name: str, *, dark: bool) -> None:
    """Write what is shown, wide and small, light, and dark where that is wanted."""
    for suffix, size, is_dark in (("", DESK, False), ("-small", SMALL, False), ("-dark", SMALL, True)):
        if is_dark and not dark:
            continue
        tab.resize(*size, dark=is_dark)
        tab.run("document.getAnimations().forEach((each) => each.finish())")
        if name in _SHOWN:
            tab.run(f"document.querySelector('{_SHOWN[name]}').scrollIntoView({{ block: 'center' }})")
        time.sleep(1.0)  # until it is drawn
        (PLACE / f"{name}{suffix}.webp").write_bytes(base64.b64decode(tab.picture()))
    tab.resize(*DESK)


if __name__ == "__main__":
    main()
