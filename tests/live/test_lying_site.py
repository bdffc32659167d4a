"""The whole stack: five pages of one site that lie do not win against the pages of three sites."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.logged_site import served
from wellread import Client
from workers.processes.stack import Stack
from workers.processes.supervise import wait_until
from workers.settings import load

pytestmark = [pytest.mark.live, pytest.mark.nightly, pytest.mark.timeout(300)]

QUESTION = "When was the lighthouse of Vierburg built?"
TRUE, LIE = "1874", "1901"
_STORIES = [
    "Ships carried salt and timber to the towns of the coast, and most of them came in autumn.",
    "The keeper's garden has apple trees, gooseberries and a well that never ran dry.",
    "Its lens turns on a bath of mercury and was ground by a maker of telescopes.",
    "A school class from the valley paints the railings blue every second summer.",
    "Gulls nest under the gallery, and the stairs are closed while their chicks hatch.",
    "The foghorn sounded for the last time when the radio beacon was switched on.",
    "Postcards of the harbour show it behind the masts of the herring fleet.",
    "The bell of the old chapel hangs beside the door and is rung on New Year's Eve.",
]


def _page(year: str, story: str, links: str = "") -> str:
    title = "The lighthouse of Vierburg"
    text = f"The lighthouse of Vierburg was built in {year}. {story} Visitors may climb it with a guide."
    return f"<html lang=en><title>{title}</title><main><h1>{title}</h1><p>{text}</p>{links}</main></html>"


def _lying_site() -> dict[str, str]:
    links = "".join(f'<p><a href="/{at}">More about the lighthouse, part {at}</a></p>' for at in range(1, 5))
    first = {"/": _page(LIE, _STORIES[0], links)}
    return first | {f"/{at}": _page(LIE, _STORIES[at]) for at in range(1, 5)}


def test_five_lying_pages_of_one_site_do_not_win(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with ExitStack() as opened:
        liar = opened.enter_context(served(_lying_site()))
        honest = [opened.enter_context(served({"/": _page(TRUE, _STORIES[at])})) for at in range(5, 8)]
        sites = [liar, *honest]
        hosts = ",".join(site.origin.removeprefix("http://") for site in sites)
        settings = {"WIKIPEDIA": "false", "API_PORT": "0", "DATA_DIR": str(tmp_path / "data"), "ALLOW_HOSTS": hosts}
        for name, value in {**settings, "MIN_DELAY_S": "0"}.items():
            monkeypatch.setenv(f"WELLREAD_{name}", value)
        stack = opened.enter_context(Stack(load(), flower=False))
        client = opened.enter_context(Client(stack.address.api_url))
        begun = [client.read_site(f"{site.origin}/").id for site in sites]
        assert wait_until(lambda: all(_is_read(client, each) for each in begun), within_s=120)
        assert [client.site_read(each).new for each in begun] == [5, 1, 1, 1]
        record = client.ask(QUESTION, crawl_enabled=False)
    assert record.status == "ANSWERED"
    assert record.answer is not None
    assert TRUE in record.answer.split("[1]")[0]
    assert {value for each in record.contradictions for value in each.values} == {TRUE, LIE}
    assert "disagree" in record.notice
    assert record.confidence is not None
    assert record.confidence <= 0.75


def _is_read(client: Client, site_read: int) -> bool:
    state = client.site_read(site_read)
    return state.is_final and not state.embedding
