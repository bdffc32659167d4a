"""How far a slow command is: one line that is overwritten on a terminal, plain lines now and then in a pipe."""

from __future__ import annotations

import io
import json

import pytest

from api.cli import output
from api.cli.output import progress_count, progress_line


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


#: C1 control sequences, direction, a half of a pair, a title and a bell, a way back over the line
HOSTILE = "a\x9b2Jb\u202ec\u2066d\ud800e\x1b]0;x\x07f\x7fg\rh\x1b[2Ji"


def test_nothing_controls_the_terminal_but_our_colours(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_lines(HOSTILE, "\x1b[31mred\x1b[0m")
    output.notify(HOSTILE)
    written = capsys.readouterr()
    assert written.out == "a2Jbcde]0;xfgh[2Ji\nred\n"
    assert written.err == "a2Jbcde]0;xfgh[2Ji\n"


def test_json_has_every_character_but_none_that_controls(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json({"title": HOSTILE, HOSTILE: "Ärger 🗼"})
    written = capsys.readouterr().out
    assert json.loads(written) == {"title": HOSTILE, HOSTILE: "Ärger 🗼"}
    assert "Ärger 🗼" in written
    assert all(char == "\n" or char.isprintable() for char in written)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(output.time, "monotonic", lambda: now[0])
    return now


def test_terminal_has_one_line_that_the_next_overwrites(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    monkeypatch.setattr("sys.stderr", shown := _Terminal())
    show = progress_count("pages")
    for done in (1, 2, 3):  # the second comes too soon to be seen
        show(done, 3)
    assert shown.getvalue() == "\r\x1b[K1 of 3 pages\r\x1b[K3 of 3 pages\n"


def test_line_of_a_terminal_is_cleared(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    monkeypatch.setattr("sys.stderr", shown := _Terminal())
    show = progress_line()
    show("pages: 7 written", False)
    show("", True)
    assert shown.getvalue() == "\r\x1b[Kpages: 7 written\r\x1b[K"


def test_pipe_has_a_plain_line_every_ten_seconds_and_none_of_what_is_quick(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    monkeypatch.setattr("sys.stderr", shown := io.StringIO())
    show = progress_count("pages")
    for done in range(1, 26):
        clock[0] += 1
        show(done, 25)
    assert shown.getvalue() == "10 of 25 pages\n20 of 25 pages\n"
    progress_line()("", True)
    assert shown.getvalue().endswith("20 of 25 pages\n")
