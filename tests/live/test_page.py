"""The web page over the whole flow: what is not known is read from a site by real workers, cited, and followed up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.cli.demo.site_server import SiteServer, serve
from tests.api.web.asking import FOLLOW_UP, STEPS, ask, until_answered
from tests.api.web.browser import DESK, Tab, opened_at
from tests.own_stack import own_stack
from wellread import Client

pytestmark = [pytest.mark.live, pytest.mark.timeout(900)]

#: a busy machine's first look costs a while
LONG_S = 600.0


@pytest.fixture
def site() -> Iterator[SiteServer]:
    with serve() as site:
        yield site


@pytest.fixture
def url(tmp_path: Path, site: SiteServer) -> Iterator[str]:
    """A stack of real processes, to which the site is known and of which nothing is read yet."""
    with own_stack(tmp_path / "data") as stack, Client(stack.address.api_url) as client:
        client.add_source(site.origin, own=True, min_delay_s=0.1)
        yield stack.address.api_url


@pytest.fixture
def tab(url: str) -> Iterator[Tab]:
    with opened_at(url) as tab:
        tab.resize(*DESK)
        yield tab
        assert tab.faults == []


def test_what_is_not_known_is_read_cited_and_followed_up(tab: Tab, site: SiteServer, url: str) -> None:
    tab.run(_NOTE)
    assert site.paths == []
    question_id = ask(tab, STEPS)
    until_answered(tab, LONG_S)
    seen = tab.run("window.seen")
    assert "Read them" in seen
    assert "Look again" in seen[seen.index("Read them") :]
    done = tab.run("[...document.querySelectorAll('#steps li.done')].map((each) => each.firstChild.textContent)")
    assert {"Look it up", "Find pages", "Read them", "Look again"} <= set(done)
    assert site.paths  # nothing was known: it was read for this
    assert "176" in tab.text("#text")
    _passage_says(tab, "176")

    assert tab.run("document.getElementById('follow').checked")
    follow_up = ask(tab, FOLLOW_UP)
    assert follow_up != question_id
    until_answered(tab, LONG_S)
    tab.wait("document.querySelector('#earlier li')", LONG_S)
    assert tab.text("#earlier h3") == STEPS
    assert "lighthouse" in tab.text("#understood")
    assert "Robert Tallis" in tab.text("#text")
    _passage_says(tab, "Robert Tallis")
    with Client(url) as client:
        asked = client.get(follow_up)
        assert asked.thread == client.get(question_id).thread
        for citation in asked.citations:
            text = client.page(citation.page_id).text
            assert text[citation.start : citation.end] == citation.quote

    tab.click("New question")
    tab.wait("document.querySelector('.example')")
    suggested = tab.run("[...document.querySelectorAll('.example')].map((each) => each.innerText)")
    assert suggested[0].endswith("?")
    tab.run("document.querySelector('.example').click()")
    tab.wait(f"document.getElementById('asked-text').innerText === {suggested[0]!r}")
    until_answered(tab, LONG_S)


#: keeps the phases in the order in which they were seen at work
_NOTE = """{
  window.seen = [];
  const note = () => {
    const now = document.querySelector("[aria-current=step]")?.firstChild.textContent;
    if (now && now !== window.seen.at(-1)) window.seen.push(now);
  };
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""


def _passage_says(tab: Tab, words: str) -> None:
    """The number of a citation shows the stored passage beside, with the quote marked."""
    tab.run("document.querySelector('#text .marker').click()")
    tab.wait("!document.getElementById('beside').hidden && document.querySelector('blockquote mark')")
    assert words in tab.text("blockquote mark")
    assert tab.run("document.querySelector('#citations q')") is None, "the answer is the quote"
    tab.press("Escape")
    tab.wait("document.getElementById('beside').hidden")
