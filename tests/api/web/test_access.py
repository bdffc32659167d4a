"""The web page's collections and keys in a real browser: what is asked and shown in one, and who may do what."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr

from api.app import create_app
from domain.access import Role
from store import keys, usage
from store.crawl import sources
from store.questions import listing
from tests.api import walk
from tests.api.web.asking import ask, open_place
from tests.api.web.browser import Tab, opened
from workers.questions import submit
from workers.services import Services, collections
from workers.settings import Settings

pytestmark = pytest.mark.live


def _use_key(tab: Tab, secret: str) -> None:
    tab.wait("!document.getElementById('key-form').hidden")
    tab.fill("#key", secret)
    tab.click("Use it", "#key-form")
    tab.wait("document.getElementById('key-form').hidden")
    tab.wait("document.getElementById('place').innerText || document.getElementById('known').innerText")


def test_collection_is_added_opened_and_deleted_with_what_it_holds(tab: Tab, services: Services) -> None:
    open_place(tab, "collections")
    tab.wait("document.querySelector('#collections td')")
    assert tab.run("document.getElementById('choose-collection').hidden")
    assert tab.run("document.querySelectorAll('#collections td button.bad').length") == 0  # the default one stays
    tab.fill("#add-collection input", "Research")
    tab.click("Add", "#add-collection")
    tab.wait("document.querySelectorAll('#collections tbody tr').length === 2")
    walk.keep_page(services.of("research"))
    tab.click("research", "#collections")
    tab.wait("document.getElementById('known').innerText.startsWith('1 page is known in research.')")
    open_place(tab, "in/research/collections")
    tab.wait("document.querySelector('#collections').innerText.includes('1 page, 0 sources, 0 questions')")
    tab.click("Delete", "#collections")
    tab.wait("document.querySelector('dialog').open")
    assert "1 page, 0 sources, 0 questions" in tab.text("dialog")
    tab.click("Keep it", "dialog")
    tab.wait("!document.querySelector('dialog')")
    tab.click("Delete", "#collections")
    tab.click("Delete research", "dialog")
    tab.wait("location.hash === '#collections' && document.querySelectorAll('#collections tbody tr').length === 1")
    assert [each.collection.name for each in collections.every(services)] == ["default"]


def test_collection_is_saved_into_a_file_and_taken_over_by_another(
    tab: Tab, services: Services, tmp_path: Path
) -> None:
    walk.move(services, walk.ask(services).id, walk.answered(walk.keep_page(services)))
    collections.add(services, "research")
    open_place(tab, "collections")
    tab.save_into(tmp_path)
    tab.click("Export", "#collections")
    tab.wait("document.getElementById('said').innerText.startsWith('default is saved')")
    file = tmp_path / "wellread-default.zip"
    until = time.monotonic() + 180
    while not file.exists():
        assert time.monotonic() < until, "it was not saved"
        time.sleep(0.05)
    open_place(tab, "in/research/collections")
    tab.wait("document.querySelector('#take-over h3')?.innerText === 'Import a file into research'")
    tab.choose("#take-over input[type=file]", file)
    tab.click("Import", "#take-over")
    tab.wait("document.getElementById('said').innerText.startsWith('1 page, 0 sources, 1 question are imported')")
    tab.wait("document.querySelector('#history a')?.innerText === 'Who built the lighthouse?'")
    tab.run("document.querySelector('#history a').click()")
    tab.wait("document.querySelector('#answer.answered')")
    tab.run("document.querySelector('.marker').click()")
    tab.wait("document.querySelector('blockquote mark')")
    file.write_bytes(b"PK no more")
    open_place(tab, "in/research/collections")
    tab.choose("#take-over input[type=file]", file)
    tab.click("Import", "#take-over")
    tab.wait("document.getElementById('error').innerText.includes('is damaged, or was not written by')")


def test_question_sources_and_pages_are_those_of_the_collection_that_is_chosen(tab: Tab, services: Services) -> None:
    collections.add(services, "research")
    research = services.of("research")
    walk.ask(services, "How high is it?")
    submit.add_source(research, "https://site.example/", own=False, min_delay_s=None)
    tab.run("location.reload()")
    tab.wait("document.querySelector('#collection option:nth-child(2)') && document.querySelector('#history a')")
    assert tab.text("#history a") == "How high is it?"
    tab.fill("#collection", "research")
    tab.wait("!document.getElementById('no-history').hidden")
    tab.wait("document.getElementById('chosen').innerText === 'everywhere in research'")
    question_id = ask(tab, "Who built the lighthouse?")
    with research.database.read() as session:
        assert [row.id for row in listing.latest(session)] == [question_id]
    walk.move(research, question_id, walk.answered(walk.keep_page(research)))
    tab.wait("document.querySelector('#answer.answered')")  # its events come from the collection, too
    tab.run("document.querySelector('.marker').click()")
    tab.wait("document.querySelector('blockquote mark')")
    assert tab.run("location.hash") == f"#in/research/{question_id}"
    tab.click("Sources", "#side")
    tab.wait("document.querySelector('#sources a')")
    assert tab.text("#place h2 .tag") == "research"
    tab.fill("#add-source input", "other.example/docs")
    tab.click("Add", "#add-source")
    tab.wait("document.querySelectorAll('#sources tbody tr').length === 2")
    tab.fill("#collection", "default")
    tab.wait("location.hash === '#sources' && document.querySelector('#sources')?.innerText.includes('None yet')")
    with services.database.read() as main, research.database.read() as other:
        assert sources.list_all(main) == []
        assert len(sources.list_all(other)) == 2
    tab.run("history.back()")
    tab.wait("document.querySelector('#sources a')")
    assert tab.run("document.getElementById('collection').value") == "research"


def test_key_is_shown_once_and_revoked(tab: Tab, services: Services) -> None:
    collections.add(services, "research")
    open_place(tab, "keys")
    tab.wait("document.querySelector('#keys p')")
    assert "No key is needed on this machine" in tab.text("#keys")
    tab.fill("#add-key input", "reader")
    tab.run("document.querySelector('#add-key input[value=research]').click()")
    tab.fill("#add-key input[type=date]", "2099-12-31")
    tab.click("Make", "#add-key")
    tab.wait("document.querySelector('#secret input') && document.querySelector('#keys td')")
    secret = str(tab.run("document.querySelector('#secret input').value"))
    with services.database.read() as session:
        made = keys.find(session, secret, services.now())
    assert made is not None
    assert (made.name, made.role, made.collections) == ("reader", Role.ask.name, ("research",))
    assert made.expires_at is not None
    assert made.expires_at > datetime(2099, 12, 31, tzinfo=UTC)  # its end, where the reader is
    row = tab.text("#keys tbody tr")
    assert "reader" in row
    assert "research" in row
    tab.click("Done", "#secret")
    assert not tab.run(f"document.body.innerHTML.includes({json.dumps(secret)})")
    tab.click("Revoke", "#keys")
    tab.click("Revoke reader", "dialog")
    tab.wait("!document.querySelector('#keys td')")
    with services.database.read() as session:
        assert keys.find(session, secret, services.now()) is None


def test_who_may_not_is_told_what_is_needed_and_may_use_another_key(services: Services, settings: Settings) -> None:
    collections.add(services, "research")
    pairs = ("ask@research:an-asker", "admin:an-admin")
    services.settings = settings.model_copy(update={"api_keys": tuple(map(SecretStr, pairs))})
    with opened(create_app(services)) as tab:
        _use_key(tab, "an-asker")
        question_id = ask(tab, "Who built it?")  # no collection is named: the key's own is meant
        with services.of("research").database.read() as session:
            assert [row.id for row in listing.latest(session)] == [question_id]
        open_place(tab, "collections")
        tab.wait("document.querySelector('#collections td')")
        assert tab.text("#collections td:first-child") == "researchopen"
        assert not tab.run("document.getElementById('add-collection') || document.querySelector('#collections button')")
        open_place(tab, "keys")
        tab.wait("document.querySelector('.refused')")
        assert "needs a key with the role admin that is bound to no collection" in tab.text(".refused")
        assert "This key has the role ask" in tab.text(".refused")
        assert tab.run("document.getElementById('error').hidden")
        tab.click("Use another key", ".refused")
        _use_key(tab, "an-admin")
        tab.wait("document.getElementById('add-key')")
        assert "No key is needed" not in tab.text("#place")


def test_a_key_is_limited_and_its_use_is_shown(tab: Tab, services: Services) -> None:
    with services.database.write() as session:
        owner = keys.add(session, "reader", Role.ask, services.now()).owner
        usage.add(session, owner, services.now(), questions=3, usd=0.25)
    open_place(tab, "keys")
    tab.wait("document.querySelector('#keys td')")
    assert "3 questions, $0.25" in tab.text("#keys")
    tab.fill("#limit-key input", "20")
    tab.click("Set", "#limit-key")
    tab.wait("document.querySelector('#keys').innerText.includes('3 of 20 questions')")
    assert tab.run("document.querySelector('#limit-key input').value") == "20"
    with services.database.read() as session:
        assert keys.list_all(session)[0].limits == {"questions_per_day": 20}
