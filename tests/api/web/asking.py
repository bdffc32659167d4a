"""What a reader does to ask on the page."""

from __future__ import annotations

from typing import Final

from tests.api.web.browser import Tab

#: asked of the demonstration's site, one after the other
STEPS: Final = "How many steps are there in the lighthouse?"
FOLLOW_UP: Final = "And who was the engineer chosen to build it?"


def ask(tab: Tab, question: str, site: str = "") -> str:
    """Ask through the form; returns the question's id, or "" where it is refused."""
    before = tab.run("location.hash")
    tab.wait("!document.querySelector('#ask button[type=submit]').disabled")
    tab.fill("#question", question)
    tab.fill("#site", site)
    tab.click("Ask", "#ask")
    tab.wait(f"location.hash !== {before!r} || !document.getElementById('error').hidden")
    question_id = str(tab.run("location.hash")).rpartition("/")[2].removeprefix("#")
    assert question_id or site, tab.text("#error")
    return question_id


def until_answered(tab: Tab, within_s: float = 60.0) -> None:
    """Wait until the question that is looked at has its answer, and what can be done with it."""
    tab.wait("document.querySelector('#answer.answered') && document.querySelector('#actions button')", within_s)


def at_phase(tab: Tab, phase: str) -> None:
    """Wait until the page says that this phase is at work."""
    tab.wait(f"document.querySelector('[aria-current=step]')?.innerText.startsWith('{phase}')")


def open_place(tab: Tab, place: str) -> None:
    """Go to one of the places."""
    tab.run(f"location.hash = {place!r}")
    tab.wait("document.querySelector('#place h2')")
