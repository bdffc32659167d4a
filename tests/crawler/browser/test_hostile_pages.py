"""Hostile pages in a real browser: none reaches what is private, and each ends by its deadline.

Each shows first that its script ran and reached what it may: else nothing would be refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from crawler.browser.render import Browser, NotRendered, RenderBounds, run_scripts
from crawler.robots import Permission
from tests.crawler.browser.web import PATIENT, Web, chromium, guarded, page, render
from tests.crawler.hostile import answer, serving
from tests.crawler.test_read import NOW, Cache
from workers.processes.supervise import wait_until

pytestmark = pytest.mark.live

#: time enough for a browser to begin on a busy machine
BOUNDS = RenderBounds(deadline_s=15.0, longest_s=3.0)


@contextmanager
def _traps() -> Iterator[tuple[int, int, list[str]]]:
    """A TCP and a UDP port of this machine, and what reached them."""
    reached: list[str] = []
    with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        tcp.bind(("127.0.0.1", 0))
        udp.bind(("127.0.0.1", 0))
        tcp.listen()
        for trap in (tcp, udp):
            trap.settimeout(0.1)
        done = threading.Event()

        def accept() -> object:
            connection, address = tcp.accept()
            connection.close()
            return address

        def watch() -> None:
            while not done.is_set():
                for take in (accept, lambda: udp.recvfrom(2000)):
                    try:
                        reached.append(str(take()))
                    except TimeoutError:
                        continue

        watching = threading.Thread(target=watch)
        watching.start()
        try:
            _spring(tcp, udp, reached)
            yield tcp.getsockname()[1], udp.getsockname()[1], reached
        finally:
            done.set()
            watching.join()


def _spring(tcp: socket.socket, udp: socket.socket, reached: list[str]) -> None:
    """Show that both traps notice who comes, then forget it."""
    with socket.create_connection(tcp.getsockname()), socket.socket(type=socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", udp.getsockname())
        assert wait_until(lambda: len(reached) == 2, within_s=10)
    reached.clear()


#: of a page that reaches its own site; that is all it may reach
ALLOWED = "fetch('/allowed').then((got) => got.text()).then((text) => document.body.append(text));"
REACHING = """
const say = (what) => { document.body.append(what + ' ') };
const tries = ['http://169.254.169.254/latest/meta-data/', 'http://127.0.0.1:%(tcp)d/x', 'http://localhost:%(tcp)d/x',
               'http://[::1]:%(tcp)d/x', 'file:///etc/passwd', 'ftp://127.0.0.1:%(tcp)d/', 'chrome://version',
               'http://0.0.0.0:%(tcp)d/', 'http://127.1:%(tcp)d/'];
for (const url of tries) {
  fetch(url).then((got) => got.text()).then((text) => say('LEAKED ' + url + text)).catch(() => say('refused'));
  fetch(url, {mode: 'no-cors'}).catch(() => 0);
  for (const tag of ['img', 'iframe', 'script', 'embed', 'video', 'link', 'object']) {
    const one = document.createElement(tag); one.src = one.href = one.data = url; one.rel = 'stylesheet';
    document.body.append(one);
  }
  window.open(url);
}
"""
AROUND = """
const fresh = document.createElement('iframe'); document.body.append(fresh);  // a window whose names are all there
for (const w of [window, fresh.contentWindow]) {
  try { new w.WebSocket('ws://127.0.0.1:%(tcp)d/') } catch { }
  try { new w.EventSource('http://127.0.0.1:%(tcp)d/') } catch { }
  try { new w.WebTransport('https://127.0.0.1:%(udp)d/') } catch { }
  try {
    const peer = new w.RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:%(udp)d'},
      {urls: 'turn:127.0.0.1:%(tcp)d?transport=tcp', username: 'a', credential: 'b'}]});
    peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  } catch { }
}
const source = `new WebSocket('ws://127.0.0.1:%(tcp)d/w'); fetch('http://127.0.0.1:%(tcp)d/w').catch(() => 0);
                importScripts('http://127.0.0.1:%(tcp)d/i')`;
new Worker(URL.createObjectURL(new Blob([source])));
try { new SharedWorker('data:text/javascript,' + encodeURIComponent(source)) } catch { }
for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'prerender', 'modulepreload', 'manifest', 'icon']) {
  const link = document.createElement('link'); link.rel = rel; link.href = 'http://127.0.0.1:%(tcp)d/' + rel;
  document.head.append(link);
}
navigator.serviceWorker?.register('/worker.js').catch(() => 0);
document.body.append('tried');
"""


@pytest.mark.parametrize("script", [REACHING, AROUND], ids=["by every element", "around the fetch"])
def test_script_reaches_nothing_private(script: str) -> None:
    async def run(tcp: int, udp: int) -> tuple[str, list[str]]:
        async with serving(answer(b"its own site")) as site, guarded(site) as client:
            document = page(ALLOWED + script % {"tcp": tcp, "udp": udp}, url=site.url("/app"))
            made = await run_scripts(
                document,
                browser=Browser(chromium(), replace(PATIENT, max_requests=400)),
                client=client,
                permission=Permission(client, Cache(), "wellread", NOW),
                until=time.monotonic() + 300,
            )
            assert made is not None
            return made.body.decode(), [head.split(" ")[1] for head in site.requests]

    with _traps() as (tcp, udp, reached):
        html, asked = asyncio.run(run(tcp, udp))
        time.sleep(0.3)
    assert "/allowed" in asked
    assert "its own site" in html
    assert "refused" in html or "tried" in html
    assert "LEAKED" not in html
    assert "root:" not in html
    assert reached == []


def test_page_of_the_web_does_not_reach_the_operators_own_site() -> None:
    async def run() -> tuple[str, str, list[str]]:
        async with (
            serving(answer(b"secret", headers="Access-Control-Allow-Origin: *\r\n")) as site,
            guarded(site) as client,
        ):
            script = f"fetch('{site.url()}').then((got) => got.text()).then((text) => document.body.append(text))"
            browser, permission = Browser(chromium(), PATIENT), Permission(client, Cache(), "wellread", NOW)
            run_it = partial(run_scripts, browser=browser, client=client, permission=permission)
            of_the_web = await run_it(page(script), until=time.monotonic() + 300)
            of_its_own = await run_it(page(script, url=site.url("/app")), until=time.monotonic() + 300)
            assert of_the_web is not None
            assert of_its_own is not None
            asked = [head.split(" ")[1] for head in site.requests]
            return of_the_web.body.decode(), of_its_own.body.decode(), asked

    html, own_html, asked = asyncio.run(run())
    assert "secret" in own_html.replace("</script>", "")
    assert "secret" not in html.replace("</script>", "")
    assert asked == ["/robots.txt", "/"]  # of the site's own page alone


BEGAN = "http://a.example/began"
#: the script goes on once this is answered
BEGINS = f"const first = new XMLHttpRequest(); first.open('GET', '{BEGAN}', false); first.send();"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files that no other browser of this machine has."""
    with tempfile.TemporaryDirectory(prefix="wr-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)  # a browser that root starts runs as nobody
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


#: further scripts that would never end, or fill the memory
HOSTILE = (
    "for (;;) alert('more')",
    "setInterval(() => { location.href = '/' + Math.random() }, 1)",
    "const f = () => { history.pushState(0, '', '/' + Math.random()); setTimeout(f) }; f()",
    "let s = 'x'; setInterval(() => { s += s + Math.random() }, 1)",
    "for (let i = 0; i < 1e6; i++) document.body.append(document.createElement('p'))",
    "for (let i = 0; i < 200; i++) new Worker(URL.createObjectURL(new Blob(['for(;;);'])))",
    "document.write('<script>' + 'debugger;'.repeat(1e6) + '</' + 'script>')",
    "addEventListener('load', () => new Promise(() => { for (;;); }))",
    "window.onbeforeunload = () => 'stay'; document.open(); setInterval(() => document.write('x'.repeat(1e6)), 1)",
)


@pytest.mark.parametrize(
    "script",
    [
        "while (true) {}",
        "setInterval(() => { location.reload() }, 1)",
        "const all = []; setInterval(() => { all.push(new Uint8Array(5e7).fill(1)) }, 1)",
        *(pytest.param(script, marks=pytest.mark.nightly) for script in HOSTILE),
    ],
)
def test_page_ends_by_its_deadline_and_leaves_nothing_behind(script: str, folder: Path) -> None:
    web = Web({BEGAN: "yes"})
    with contextlib.suppress(NotRendered):  # of some there is something to read, of others nothing
        asyncio.run(render(page(BEGINS + script), web, bounds=BOUNDS))
    assert BEGAN in web.asked
    assert list(folder.iterdir()) == []
    assert _browsers(folder) == []


def _browsers(folder: Path) -> list[str]:
    """The processes of this one's children that still run a browser in a folder of ours."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        command = b""
        with contextlib.suppress(OSError):
            command = line.read_bytes()
        if f"--user-data-dir={folder}/wellread-chromium-".encode() in command and os.getpid() in _above(line.parent):
            found.append(command.decode("utf-8", "replace"))
    return found


def _above(process: Path) -> list[int]:
    found = []
    while process.name not in ("0", "1"):
        try:
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            break
        found.append(int(parent))
        process = process.parent / parent
    return found
