"""Every block of the documents that can run here is run, against one Wellread with two sites of its own to read.

The pages that tell step by step what to do are in test_pages.py. What cannot run here is named in tests/docs/blocks.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from api.cli.demo.site_server import serve
from tests import office
from tests.claude_double import KEY, ClaudeDouble
from tests.docs.blocks import ALONE, API, NOT_RUN, ROOT, RUN_WHOLE, SOCKET, Block, blocks
from tests.docs.test_python import FRAMEWORKS
from tests.live.terminal import Terminal, assert_shows, opened

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

BUILDER = "Robert Tallis"
#: the pages of the sites that stand for https://example.org/ and https://docs.python.org/
LIGHTHOUSE = {
    "index.html": f"<p>The lighthouse was built in 1871 by {BUILDER}. It has 176 steps.</p><a href=/page>more</a>",
    "page": "The lamp of the lighthouse burns from dusk to dawn, and its keeper sleeps by day.",
    "one-page.html": "<p>The keeper of the lighthouse was Anna Berg, who lived there until 1911.</p>",
}
MANUAL = {
    "3/index.html": "<p>The manual of the language, in many parts.</p><a href=/3/library/>The library</a>",
    "3/library/index.html": "<p>Parts of the library.</p><a href=functions.html>open</a> <a href=zlib.html>zlib</a>",
    "3/library/functions.html": "<p>To open a file in Python, call open() with the name of the file.</p>",
    "3/library/zlib.html": "<p>The module zlib compresses data in the format of gzip, at nine levels.</p>",
}
#: what every page takes for granted; the one before may have deleted it
KNOWN = "wellread source add https://example.org/\nwellread read https://example.org/ https://docs.python.org/3/"
#: a reading that goes on until it is cancelled, and its number in a file: there is a minute between two pages
READING = """python3 -m http.server 8000 --directory example > /dev/null 2>&1 &
wellread source add http://127.0.0.1:8000/ --own --delay 60
wellread read http://127.0.0.1:8000/ --whole > /dev/null 2>&1 &
until wellread reads list | head -n 1 | grep http://127.0.0.1:8000/; do sleep 0.2; done
wellread reads list | sed 's/ .*//;q' > reading"""
READS = ("pause", "resume", "show", "cancel")
#: what a block takes for granted: words of it → shell before it
BEFORE = {
    "wellread collections add research": "wellread collections delete research --yes || true",
    "wellread keys add reader": "wellread keys revoke reader || true\nwellread collections add research || true",
    "wellread delete https://example.org/page": "wellread read https://example.org/page",
    "wellread reads pause 3": READING,
    "wellread bench our-questions.jsonl": "cat > our-questions.jsonl <<'END'\n"
    f'{{"question": "Who built the lighthouse?", "expected": ["{BUILDER}"]}}\nEND',
    "wellread replay QUESTION_ID": "python3 fail.py",
    "--basic @login.txt": "echo reader:secret > login.txt\necho 'X-Token: 4711' > token.txt",
    "zlib.html --version 2": "sed -i 's/nine/ten/' python/3/library/zlib.html\n"
    "wellread read https://docs.python.org/3/library/zlib.html",
}
FAIL = """import sqlite3

with sqlite3.connect("data/wellread.db") as known:
    known.execute("UPDATE questions SET status = 'FAILED'")
"""
#: pages whose blocks are run by other tests; those of operate.md depend on how far a reading is, and are parsed only
OTHERWISE = (FRAMEWORKS, "docs/models.md")
#: pages that show what the command before printed
SHOWN = ("docs/files.md",)
#: blocks whose question about the lighthouse is waited for
WAITED = ('"wait"', "wellread.ask(", "client.chat", 'call_tool("ask"', "/v1/chat", "wellread ask")


def _site(folder: Path, pages: dict[str, str]) -> Path:
    for name, text in pages.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"<!doctype html><html lang=en><main>{text}</main></html>" if "<p>" in text else text)
    return folder


@pytest.fixture(scope="module")
def wellread() -> Iterator[Terminal]:
    """A terminal beside a Wellread that runs, has read both sites and answered a question."""
    with (
        opened() as terminal,
        serve(_site(terminal.folder / "example", LIGHTHOUSE)) as example,
        serve(_site(terminal.folder / "python", MANUAL)) as python,
    ):
        terminal.said |= {"https://example.org": example.origin, "https://docs.python.org": python.origin}
        terminal.said |= {"/srv/sets": str(_sets(terminal.folder / "sets"))}
        # the wheel that the page before installs has no evals: they are run from a checkout
        terminal.said |= {"python -m evals": f"PYTHONPATH={ROOT}:$PYTHONPATH python -m evals"}
        terminal.env |= {
            "WELLREAD_ALLOW_HOSTS": f"127.0.0.1:{example.server_port},127.0.0.1:{python.server_port}",
            "WELLREAD_MIN_DELAY_S": "0",
            "WELLREAD_CRAWL_PROCESSES": "2",
            "CURL_HOME": str(terminal.folder),
        }
        terminal.said |= {f"reads {verb} 3": f"reads {verb} $(cat reading)" for verb in READS}
        terminal.said["reads cancel 3"] += f"\nwellread source remove {terminal.here('http://127.0.0.1:8000/')}"
        (terminal.folder / ".curlrc").write_text("fail-with-body\nshow-error\n")
        (terminal.folder / "handbook.docx").write_bytes(office.docx({"Hotels": office.SECTIONS["Hotels"]}))
        (terminal.folder / "Staff rules" / "2026").mkdir(parents=True)
        (terminal.folder / "Staff rules" / "2026" / "handbook.docx").write_bytes(office.docx())
        (terminal.folder / "fail.py").write_text(FAIL)
        _say(terminal, "wellread up")
        terminal.said["redis://127.0.0.1:6379/0"] = terminal.here(SOCKET)
        for site in ("https://example.org/", "https://docs.python.org/3/"):
            _say(terminal, f"wellread read {site} --whole")
        asked = json.loads(_say(terminal, 'wellread ask "Who built the lighthouse?" --thread new --json 2> /dev/null'))
        question_id = asked["id"]
        terminal.said |= dict.fromkeys(("QUESTION_ID", "0123456789abcdef0123456789abcdef"), question_id)
        terminal.said |= {"trace ID": f"trace {question_id}", "question ID": f"question {question_id}"}
        terminal.said["thread ID"] = f"thread {asked['thread']}"
        yield terminal


def _say(terminal: Terminal, command: str) -> str:
    return terminal.run(Block("", 0, "sh", f"{command}\n"))


def _sets(folder: Path) -> Path:
    """The evaluations' sets, of eight questions each."""
    for part in (ROOT / "evals" / "data").glob("*-part"):
        to = folder / part.name.removesuffix("-part")
        to.mkdir(parents=True)
        head, *judged = (part / "qrels.tsv").read_text("utf-8").splitlines()[:9]
        wanted = {name for line in judged for name in line.split("\t")[:2]}
        (to / "qrels.tsv").write_text("\n".join((head, *judged)) + "\n")
        for name in ("corpus", "queries"):
            lines = (part / f"{name}.jsonl").read_text("utf-8").splitlines(keepends=True)
            (to / f"{name}.jsonl").write_text("".join(line for line in lines if json.loads(line)["_id"] in wanted))
    return folder


def _told(page: str) -> list[Block]:
    """The blocks of a page that are run together, in their order."""
    told = [block for block in blocks("sh", "python", "text") if block.page == page]
    return [block for block in told if not any(words in block.text for words in ALONE)]


#: pages whose commands measure and grade
MEASURING = ("docs/benchmarks.md", "docs/evals.md", "evals/README.md")
#: pages that take longest; the tests of the parts that they describe fail first
LONG = ("docs/demonstration.md", "docs/files.md", "docs/operate.md")
BY_NIGHT = (*MEASURING, *LONG)
PAGES = sorted({b.page for b in blocks("sh", "python")} - {*RUN_WHOLE, *OTHERWISE, *BY_NIGHT})


@pytest.mark.parametrize("page", [*PAGES, *(pytest.param(page, marks=pytest.mark.nightly) for page in BY_NIGHT)])
def test_page(page: str, wellread: Terminal) -> None:
    printed = _say(wellread, KNOWN)
    for block in _told(page):
        if block.language == "text":
            if page in SHOWN:
                assert_shows(block, printed, wellread)
            continue
        for words, command in BEFORE.items():
            if words in block.text:
                _say(wellread, command)
        printed = wellread.run(_runnable(block))
        if "lighthouse?" in block.text and any(words in block.text for words in WAITED):
            assert BUILDER in printed, f"{block}:\n{printed}"
        if "wellread.events(" in block.text:
            assert "ANSWERED" in printed, f"{block}:\n{printed}"


def _runnable(block: Block) -> Block:
    """The block as shell, without what cannot run here."""
    lines = [line for line in block.text.splitlines() if not line.startswith((*NOT_RUN, "wellread up"))]
    text = "\n".join(lines) + "\n"
    if block.language == "python":
        text = f"python3 - <<'END'\n{text}END\n"
    return Block(block.page, block.line, "sh", text)


def _alone(words: str) -> Block:
    """The block that a test runs by itself."""
    (block,) = [block for block in blocks("sh") if words in block.text and block.page not in RUN_WHOLE]
    return block


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """A terminal with a file to add, and nothing that runs."""
    with opened() as terminal:
        (terminal.folder / "handbook.docx").write_bytes(office.docx())
        yield terminal


PATIENT = "curl --silent --show-error --fail --retry 300 --retry-delay 1 --retry-connrefused"
FLIGHT = 'wellread ask "Who approves a flight above six hours?" --no-crawl'


def test_parts_that_run_each_by_itself_answer_together(
    terminal: Terminal, valkey_url: str, empty_postgres: str
) -> None:
    terminal.said |= {"postgresql+psycopg://wellread:secret@127.0.0.1:5432/wellread": empty_postgres}
    terminal.said |= {"redis://127.0.0.1:6379/0": valkey_url}
    terminal.run(_runnable(_alone("wellread:secret@")))
    terminal.env |= {"WELLREAD_API_URL": terminal.here(API)}
    block, workers = _alone("wellread api\nwellread beat"), _alone("wellread worker answer")
    parts = block.text + workers.text
    apart = re.sub(r"^wellread (.*)$", r"wellread \1 >> parts.log 2>&1 &", parts, flags=re.MULTILINE)
    terminal.run(Block(block.page, block.line, "sh", apart))
    for address in (API, "http://127.0.0.1:5555"):
        _say(terminal, f"{PATIENT} {address}/ > page.html")
    _say(terminal, "wellread add handbook.docx")
    assert "Ngozi Okafor" in _say(terminal, FLIGHT)


@pytest.mark.nightly
def test_keys_of_the_settings_are_asked_for(terminal: Terminal) -> None:
    terminal.run(_alone("WELLREAD_API_KEYS="))
    address = terminal.here(f"{API}/api/sources")
    for key, status in (("", 401), ("wrong", 401), ("another", 200), ("a-long-secret", 200)):
        headers = {"authorization": f"Bearer {key}"} if key else {}
        assert httpx2.get(address, headers=headers, timeout=60, trust_env=False).status_code == status, key


@pytest.mark.nightly
def test_knowledge_base_is_built_again(terminal: Terminal) -> None:
    _say(terminal, "wellread add handbook.docx\nrm -r data/passages")
    terminal.run(_alone("wellread reindex"))
    assert "Ngozi Okafor" in _say(terminal, FLIGHT)


@pytest.mark.nightly
def test_key_of_claude_is_used(terminal: Terminal) -> None:
    with ClaudeDouble() as claude:
        terminal.said["sk-ant-..."] = KEY
        terminal.env["WELLREAD_ANTHROPIC_BASE_URL"] = claude.url
        terminal.run(_alone("WELLREAD_ANTHROPIC_API_KEY="))
        _say(terminal, "wellread add handbook.docx")
        assert "Ngozi Okafor" in _say(terminal, FLIGHT)
        assert claude.received


def test_backup_is_restored_elsewhere_and_answers(terminal: Terminal) -> None:
    _say(terminal, "wellread add handbook.docx\nwellread backup all.zip")
    terminal.env["WELLREAD_DATA_DIR"] = str(terminal.folder / "elsewhere")
    terminal.run(_alone("wellread restore"))
    _say(terminal, "wellread up")
    _say(terminal, "until wellread search 'flight above six hours' | grep -q Okafor; do sleep 1; done")
    assert "Ngozi Okafor" in _say(terminal, FLIGHT)
