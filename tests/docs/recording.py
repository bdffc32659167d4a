"""Record the tutorial's first questions in a terminal, as a picture that moves (`make recording`).

A real run: the bakery of the tutorial is served, and `wellread ask` is run in a terminal of its own, with an empty
data folder. Each line appears when it was printed; waits are cut short. It is one SVG with a style and no script.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from api.cli.demo.site_server import serve
from tests.docs.blocks import ROOT, blocks

PLACE = ROOT / "docs" / "screens" / "recording.svg"
COLUMNS, SHOWN_PORT = 100, "8000"
#: a wait is shown no longer, and as the last of its lines the prompt waits as long
LONGEST_WAIT_S, PROMPT_S = 1.2, 1.5

_SGR = re.compile(r"\x1b\[([0-9;]*)m")
_COLOURS = {"1": "b", "31": "r", "32": "g", "33": "y", "34": "l", "35": "m", "36": "c", "90": "d", "2": "d"}
_STYLE = """
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d6dae2; white-space: pre }
.line { opacity: 0; animation: show 0s linear forwards }
@keyframes show { to { opacity: 1 } }
@media (prefers-reduced-motion: reduce) { .line { animation: none; opacity: 1 } }
.b { font-weight: bold } .r { fill: #f28b82 } .g { fill: #81c995 } .y { fill: #fdd663 } .l { fill: #8ab4f8 }
.m { fill: #d7aefb } .c { fill: #78d9ec } .d { fill: #9aa0a6 } .p { fill: #81c995; font-weight: bold }
"""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of the terminal, and when it was printed."""

    at_s: float
    text: str


def svg(lines: Sequence[Line], *, rows: int = 26, line_height: int = 19, column_width: float = 8.43) -> str:
    """Return the picture of these lines, of which the last ``rows`` are seen at any time."""
    width, height = round(COLUMNS * column_width) + 32, rows * line_height + 12
    total = lines[-1].at_s
    texts = [
        f'<text class="line" style="animation-delay:{line.at_s:.2f}s" x="16" y="{14 + number * line_height}" '
        f'xml:space="preserve">{spans(line.text)}</text>'
        for number, line in enumerate(lines)
        if line.text
    ]
    moves = [
        f"{100 * line.at_s / total:.2f}% {{ transform: translateY({-(number - rows) * line_height}px) }}"
        for number, line in enumerate(lines, start=1)
        if number > rows
    ]
    end = f"translateY({-max(0, len(lines) - rows) * line_height}px)"
    scroll = f".all {{ animation: scroll {total:.2f}s step-end forwards }} @keyframes scroll {{ {' '.join(moves)} }}"
    still = f"@media (prefers-reduced-motion: reduce) {{ .all {{ animation: none; transform: {end} }} }}"
    dots = "".join(f'<circle cx="{20 + 18 * n}" cy="18" r="6" fill="{c}"/>' for n, c in enumerate(_DOTS))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + 46}" role="img"',
        f'  width="{width}" height="{height + 46}">',
        "<title>A question is asked in a terminal: pages are read, then it is answered with its quotes</title>",
        f"<style>{_STYLE}{scroll}\n{still}</style>",
        f'<rect width="{width}" height="{height + 46}" rx="8" fill="#1d2129"/>{dots}',
        f'<svg y="36" width="{width}" height="{height}"><g class="all">',
        *texts,
        "</g></svg></svg>\n",
    ])  # fmt: skip


_DOTS = ("#f28b82", "#fdd663", "#81c995")


def spans(text: str) -> str:
    """Return a line's text with its colours as SVG."""
    parts, styles = [], ""
    for number, part in enumerate(_SGR.split(text)):
        if number % 2:
            codes = part.split(";")
            styles = "" if codes in ([""], ["0"]) else " ".join(_COLOURS[code] for code in codes if code in _COLOURS)
        elif part:
            shown = escape(part, quote=False)
            parts.append(f'<tspan class="{styles}">{shown}</tspan>' if styles else shown)
    return "".join(parts)


def typed(command: str) -> str:
    """Return a prompt with a command."""
    return f"\x1b[32;1m$\x1b[0m {command}"


def run(command: Sequence[str], env: dict[str, str]) -> Iterator[tuple[float, str]]:
    """Run a command in a terminal; yield its lines with the seconds since its start."""
    ours, theirs = pty.openpty()
    started, rest = time.monotonic(), b""
    process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
    os.close(theirs)
    while True:
        try:
            read = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        *whole, rest = (rest + read).replace(b"\r\n", b"\n").split(b"\n")
        for line in whole:
            yield time.monotonic() - started, line.decode()
        if not read:
            break
    os.close(ours)
    if process.wait() != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: nothing is recorded.")


def record(questions: Sequence[Sequence[str]], site: str, env: dict[str, str]) -> list[Line]:
    """Run the commands one after the other; return what a terminal shows, with waits cut short."""
    shown, now = [], 0.3
    for arguments in questions:
        words = [word if re.fullmatch(r"[\w:/.-]+", word) else f'"{word}"' for word in arguments]
        shown.append(
            Line(at_s=now, text=typed(" ".join(("wellread", *words)).replace(site, f"127.0.0.1:{SHOWN_PORT}")))
        )
        before, now = 0.0, now + PROMPT_S
        for at_s, text in run([sys.executable, "-m", "api", *arguments], env):
            now += min(at_s - before, LONGEST_WAIT_S)
            before = at_s
            shown.append(Line(at_s=now, text=text.replace(site, f"127.0.0.1:{SHOWN_PORT}")))
        shown.append(Line(at_s=now, text=""))
        now += PROMPT_S
    return shown


def main() -> None:
    """Write the recording anew."""
    (pages,) = [
        block.text for block in blocks("sh") if block.page == "docs/tutorial.md" and "rye.html <<" in block.text
    ]
    with tempfile.TemporaryDirectory(prefix="wr-", dir="/tmp") as folder:
        subprocess.run(["bash", "-euc", pages], cwd=folder, check=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WELLREAD_")}
        own = {"WELLREAD_DATA_DIR": f"{folder}/data", "WELLREAD_API_PORT": "0", "WELLREAD_WIKIPEDIA": "false"}
        env = {**kept, **own, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": "60"}
        up = subprocess.Popen(
            [sys.executable, "-m", "api", "up", "--no-flower"], env=env, stdout=subprocess.PIPE, text=True
        )
        try:
            assert up.stdout is not None
            while "Ctrl-C" not in (line := up.stdout.readline()):
                assert line, "it did not start"
            with serve(Path(folder) / "bakery") as site:
                address = site.origin.removeprefix("http://")
                first = ("ask", "How long does the dough of the rye bread rest?", "--site", f"{site.origin}/", "--own")
                lines = record((first, ("ask", "Who opened the bakery?")), address, env)
        finally:
            up.terminate()
            up.wait(120)
    PLACE.parent.mkdir(exist_ok=True)
    PLACE.write_text(svg(lines), "utf-8")
    print(f"{PLACE.relative_to(ROOT)} is written: {len(lines)} lines, {lines[-1].at_s:.0f} s.")


if __name__ == "__main__":
    main()
