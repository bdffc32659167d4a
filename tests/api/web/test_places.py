"""The web page's places in a real browser: sources and their schedules, pages, files, and what an operator looks at."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from domain import Status
from domain.site import SiteReadStatus
from store.crawl import site_reads, sources
from store.questions.state import Changes, Move, find
from store.sql.tables import CandidateRow, PageRow, SiteReadRow
from tests.api import walk
from tests.api.web.asking import open_place
from tests.api.web.browser import Tab
from tests.crawler.extract import pdfs
from workers import files as watched
from workers.crawl import read_candidate as read_page
from workers.crawl import sites
from workers.questions import submit
from workers.services import Services

pytestmark = pytest.mark.live


def test_a_schedule_is_changed_paused_and_resumed_and_a_site_read_paused(tab: Tab, services: Services) -> None:
    submit.add_source(services, "https://site.example/", own=False, min_delay_s=None)
    sites.start(services, "https://site.example/")
    open_place(tab, "sources")
    tab.wait("document.querySelector('#sources td input')")
    tab.run("document.querySelector('#sources td input').value = '0 3 * * *'")
    tab.click("Save", "#sources")
    tab.wait("document.querySelector('#sources time')")
    with services.database.read() as session:
        (kept,) = sources.list_all(session)
    assert kept.schedule is not None
    assert kept.schedule.cron == "0 3 * * *"
    tab.click("Pause", "#sources")
    tab.wait("document.querySelector('#sources').textContent.includes('paused')")
    assert tab.run("document.querySelector('#sources td input').value") == "0 3 * * *"
    with services.database.read() as session:
        (paused,) = sources.list_all(session)
    assert (paused.paused, paused.schedule, paused.next_due) == (True, kept.schedule, None)
    tab.click("Resume", "#sources")
    tab.wait("document.querySelector('#sources time')")
    with services.database.read() as session:
        assert sources.list_all(session) == [kept]
    tab.click("Pause", "#site-reads")
    tab.wait("document.querySelector('#site-reads').textContent.includes('paused')")
    assert services.read(site_reads.latest, services.now())[0].status is SiteReadStatus.PAUSED


def test_what_a_schedule_had_read_is_no_whole_site_of_its_own(tab: Tab, services: Services) -> None:
    submit.add_source(services, "https://site.example/", own=True, min_delay_s=None)
    for source_id in (None, 1):
        sites.start(services, "https://site.example/")
        with services.database.write() as session:
            last = session.query(SiteReadRow).order_by(SiteReadRow.id.desc()).first()
            assert last is not None
            last.status, last.source_id = "DONE", source_id
    assert len(services.read(site_reads.latest, services.now())) == 2
    open_place(tab, "sources")
    tab.wait("document.querySelector('#site-reads a')")
    assert tab.run("document.querySelectorAll('#site-reads td time').length") == 1


def test_a_source_is_added_read_and_deleted(tab: Tab, services: Services) -> None:
    open_place(tab, "sources")
    tab.wait("document.querySelector('#sources').textContent.includes('None yet')")
    tab.run("document.querySelector('#add-source input').value = 'site.example/docs'")
    tab.click("Add", "#add-source")
    tab.wait("document.querySelector('#sources a')")
    assert tab.text("#sources a") == "https://site.example/docs"
    tab.wait("document.querySelector('#site-reads td')")  # it is asked for after the source is kept
    assert services.read(site_reads.latest, services.now())[0].status is SiteReadStatus.RUNNING
    tab.click("Delete", "#sources")
    tab.click("Really delete?", "#sources")
    tab.wait("document.querySelector('#sources').textContent.includes('None yet')")
    with services.database.read() as session:
        assert sources.list_all(session) == []


def test_a_file_is_uploaded_into_a_folder(tab: Tab, tmp_path: Path) -> None:
    rules = tmp_path / "rules.md"
    rules.write_text("# Rules\n\nThe lighthouse opens at nine.")
    open_place(tab, "files")
    tab.wait("document.querySelector('#files p')")
    tab.choose("#upload input[type=file]", rules)
    tab.run("document.querySelectorAll('#upload input')[1].value = 'travel'")
    tab.click("Upload", "#upload")
    tab.wait("document.querySelector('#files td')")
    assert tab.text("#files td span") == "travel/rules.md"
    assert "being read" in tab.text("#files")


def test_troubles_of_a_folder_and_its_files_are_shown_with_what_to_do(
    tab: Tab, services: Services, tmp_path: Path
) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "secret.pdf").write_bytes(pdfs.pdf([["secret"]], password="x"))
    (papers / "torn.pdf").write_bytes(b"%PDF-1.4 no more")
    (papers / "long.txt").write_text("x" * 2_000)
    (papers / "rules.md").write_text("The lighthouse opens at nine.")
    services.settings = services.settings.model_copy(update={"file_max_bytes": 1_500})
    folder = watched.watch(services, papers)
    with services.database.read() as session:
        ids = list(session.scalars(select(CandidateRow.id)))
    for candidate_id in ids:
        read_page.read(services, candidate_id)
    open_place(tab, "files")
    tab.wait("document.querySelectorAll('#files tbody tr').length === 4")
    assert "ok" in tab.text("#folders")
    tab.run("location.hash = ''")
    tab.wait(f"document.querySelector('#choose-sources input[value=\"files://{folder.name}\"]')")
    open_place(tab, "files")
    tab.wait("document.querySelectorAll('#files tbody tr').length === 4")
    tab.fill("#place select", "?")
    tab.wait("document.querySelectorAll('#files tbody tr').length === 3")
    shown = tab.text("#files")
    assert "secret.pdf is encrypted: it opens only with a password. Save it without one" in shown
    assert "torn.pdf is damaged" in shown
    assert "long.txt has 2,000 bytes: WELLREAD_FILE_MAX_BYTES allows 1,500. Split it." in shown
    papers.rename(tmp_path / "moved")
    watched.look_through(services, folder)
    tab.run("location.reload()")
    tab.wait("document.querySelector('#folders .bad')")
    assert "No such file or directory. What was read from it is kept: put it back" in tab.text("#folders .bad")


def test_a_page_is_searched_looked_at_and_deleted(tab: Tab, services: Services) -> None:
    page_id = walk.keep_page(services)
    open_place(tab, "pages")
    tab.wait("document.querySelector('#page-list td button')")
    tab.run("document.querySelector('#place input[type=search]').value = 'harbour'")
    tab.run("document.querySelector('#place input[type=search]').dispatchEvent(new Event('input'))")
    tab.wait("!document.querySelector('#page-list td button')")
    tab.run("document.querySelector('#place input[type=search]').value = 'TOWER'")
    tab.run("document.querySelector('#place input[type=search]').dispatchEvent(new Event('input'))")
    tab.click("The tower", "#page-list")
    tab.wait("document.querySelector('#page-detail blockquote')")
    assert tab.text("#page-detail blockquote") == walk.TEXT
    tab.click("Delete", "#page-detail")
    tab.click("Really delete?", "#page-detail")
    tab.wait("!document.querySelector('#page-list td button')")
    with services.database.read() as session:
        row = session.get(PageRow, page_id)
    assert row is None or row.text == ""


def test_an_operator_sees_what_failed_and_starts_it_again(tab: Tab, services: Services) -> None:
    walk.move(services, walk.ask(services, "When was it built?").id, walk.answered(walk.keep_page(services)))
    asked = walk.ask(services)
    walk.move(services, asked.id, Move(to=Status.FAILED, outcome="failed", changes=Changes(error="the disk is full")))
    open_place(tab, "operations")
    tab.wait("document.querySelector('#operations-dead td')")
    assert "the disk is full" in tab.text("#operations-dead")
    assert tab.run("document.querySelectorAll('#operations-plots svg').length") == 4
    assert tab.run("document.querySelectorAll('#operations-plots rect.series-0').length") >= 2
    assert "none" in tab.text("#operations-queues")
    tab.click("Start again", "#operations-dead")
    tab.wait("document.querySelector('#operations-dead').textContent.includes('None')")
    with services.database.read() as session:
        assert find(session, asked.id).status is Status.ASKED


def test_values_stand_beside_their_names_on_a_narrow_screen(tab: Tab) -> None:
    tab.resize(390, 860)
    tab.run(
        "document.getElementById('place').insertAdjacentHTML('beforeend', '<div class=wide><table><tbody><tr><td>1</td>"
        '<td id=cell data-name="Looked through again">3 pages, 2 sources, 7 folders and 23 questions</table>\')'
    )
    tab.run("for (let at = document.getElementById('cell'); at; at = at.parentElement) at.hidden = false")
    beside = (
        "(() => { const cell = document.getElementById('cell'), range = document.createRange();"
        " range.selectNodeContents(cell); const left = cell.getBoundingClientRect().left;"
        " const label = parseFloat(getComputedStyle(cell, '::before').width), lines = [...range.getClientRects()];"
        " return lines.length > 1 && lines.every((line) => line.left >= left + label + 8) })()"
    )
    tab.wait(beside)


def test_questions_without_an_answer_are_listed_saved_and_deleted(tab: Tab, services: Services, tmp_path: Path) -> None:
    page_id = walk.keep_page(services)
    walk.move(services, walk.ask(services).id, walk.answered(page_id))
    for question in ("Who paints the lighthouse?", "How heavy is the lamp?"):
        walk.move(services, walk.ask(services, question).id, Move(to=Status.TIMED_OUT, outcome="late"))
    open_place(tab, "questions")
    tab.wait("document.querySelectorAll('#questions tbody tr').length === 3")
    tab.fill("#meant select", "1")
    tab.wait("document.querySelectorAll('#questions tbody tr').length === 2")
    assert "Who built" not in tab.text("#questions")
    tab.save_into(tmp_path)
    tab.click("Save as CSV", "#to-all")
    tab.wait("document.getElementById('said').innerText.includes('are saved')")
    tab.fill("#meant input[type=search]", "lamp")
    tab.wait("document.querySelectorAll('#questions tbody tr').length === 1")
    tab.click("Delete", "#to-all")
    tab.wait("document.querySelector('dialog')?.open")
    assert "Delete: 1 question?" in tab.text("dialog")
    tab.click("Delete", "dialog")
    tab.wait("document.getElementById('said').innerText === '1 of 1 question deleted.'")
    tab.fill("#meant input[type=search]", "")
    tab.wait("document.querySelector('#questions').innerText.includes('Who paints the lighthouse?')")
    tab.fill("#meant select", "0")
    tab.wait("document.querySelectorAll('#questions tbody tr').length === 2")


def test_filters_that_are_changed_meanwhile_make_no_other_questions_be_changed(tab: Tab, services: Services) -> None:
    walk.move(services, walk.ask(services, "Why?").id, Move(to=Status.TIMED_OUT, outcome="late"))
    open_place(tab, "questions")
    tab.fill("#meant select", "1")
    tab.run(
        "const real = window.fetch; window.posts = []; window.fetch = async (path, options) => {"
        "  if (options?.method !== 'POST') return real(path, options);"
        "  posts.push(JSON.parse(options.body)); document.querySelector('#meant select').value = '0';"
        "  return Response.json({ done: 1, left: 1, retry_after_s: posts.length < 3 ? null : 9 }); }"
    )
    tab.click("Run again", "#to-all")
    tab.wait("document.querySelector('dialog')?.open")
    tab.click("Run again", "dialog")
    tab.wait("document.getElementById('said').innerText.includes('more in 9 s')")
    first, *others = tab.run("posts")
    assert first.pop("dry_run")
    assert others == [first, first]
    assert first.keys() == {"unanswered", "ended_before"}
