from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.cli import answer as question
from api.cli.width import Style, clean, columns, cut, wrap
from tests.api.records import citation, record_json
from wellread import Event, PageRead, Record
from wellread.responses import to_value


def _status(status: str, *, id: str = "1-0", **data: Any) -> Event:
    return Event(id=id, kind="status", data={"status": status, **data})


def _record(**changes: Any) -> Record:
    return to_value(Record, record_json(**changes))


@given(st.text(), st.integers(4, 120))
def test_no_line_is_wider_than_the_terminal(text: str, width: int) -> None:
    assert all(columns(line) <= width for line in wrap(text, width))
    assert columns(cut(clean(text), width)) <= width


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=9), min_size=1), st.integers(12, 60))
def test_wrapping_keeps_every_word(words: list[str], width: int) -> None:
    assert " ".join(wrap(" ".join(words), width)).split() == words


@given(st.text(st.characters(), max_size=80))
def test_nothing_a_page_says_can_steer_the_terminal(text: str) -> None:
    shown = clean(text)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\n" not in shown


def test_chinese_takes_two_columns_and_wraps_without_spaces() -> None:
    assert columns("灯塔") == 4
    assert wrap("灯塔在海角的尽头", 6) == ["灯塔在", "海角的", "尽头"]


def test_combining_accents_take_no_column() -> None:
    assert columns("cafe\u0301") == 4


def test_no_line_is_broken_between_a_quotation_mark_and_its_word() -> None:
    assert wrap("Voir\xa0: «\u202fTechnical data\u202f»", 12) == ["Voir\xa0:", "«\u202fTechnical", "data\u202f»"]


def test_prefixes_count_as_part_of_the_line() -> None:
    assert wrap("one two three", 9, first="[1] ", indent="    ") == ["[1] one", "    two", "    three"]


def test_each_wrapped_line_is_painted() -> None:
    lines = Style(width=9, colour=True).wrap("one two three", indent="  ", fg="yellow")
    assert lines == ["\x1b[33m  one two\x1b[0m", "\x1b[33m  three\x1b[0m"]


def test_progress_says_the_phase_and_the_seconds() -> None:
    (line,) = question.event_lines(_status("ASKED"), 0.24, Style())
    assert line.split() == ["0.2", "s", "phase", "1", "looking", "in", "the", "knowledge", "base"]


def test_the_next_phase_says_why_the_last_one_did_not_suffice() -> None:
    why, line = question.event_lines(_status("RETRYING", verdict={"reason": "It lacks year."}), 1.0, Style())
    assert why.strip() == "not enough: It lacks year."
    assert "phase 2" in line


def test_answer_grows_by_what_is_new_of_it() -> None:
    def writing(answer: str) -> Event:
        return Event(id="1-0", kind="writing", data={"answer": answer})

    told = list(
        question.new_events([writing("One. [1]"), writing("One. [1]"), writing("One. [1] Two. [2]"), writing("Anew.")])
    )
    assert [event.data["answer"] for event in told] == ["One. [1]", "Two. [2]", "Anew."]
    (line,) = question.event_lines(told[1], 3.0, Style())
    assert line.split() == ["3.0", "s", "writing:", "Two.", "[2]"]


def test_provisional_answer_says_what_is_missing() -> None:
    data = {"answer": "Perhaps.", "missing": ["year", "builder"]}
    lines = question.event_lines(Event(id="1-0", kind="provisional", data=data), 1.0, Style())
    assert [line.strip() for line in lines][1:] == ["Perhaps.", "not covered yet: year, builder"]


def test_reading_says_how_many_pages_were_chosen() -> None:
    (line,) = question.event_lines(_status("READING", candidates=["a", "b", "c", "sitemap.xml"], pages=3), 1.0, Style())
    assert "reading 3 pages" in line


def test_a_page_that_failed_says_why_and_one_that_was_read_does_not() -> None:
    def line(outcome: str, reason: str | None) -> str:
        event = Event(id="1-0", kind="page", data={"url": "http://a.example/x", "outcome": outcome, "reason": reason})
        return question.event_lines(event, 2.0, Style(width=120))[0]

    assert "http://a.example/x (robots.txt forbids it)" in line("forbidden", "robots.txt forbids it")
    assert line("read", "as the site allows").endswith("http://a.example/x")


def test_sitemaps_and_unknown_events_are_not_shown() -> None:
    assert question.event_lines(Event(id="", kind="page", data={"url": "u", "kind": "sitemap"}), 1.0, Style()) == []
    assert question.event_lines(Event(id="", kind="something new", data={}), 1.0, Style()) == []


def test_a_provisional_answer_is_marked_as_one() -> None:
    mark, answer = question.event_lines(Event(id="1-0", kind="provisional", data={"answer": "Perhaps."}), 1.0, Style())
    assert "provisional answer, still working:" in mark
    data = {"answer": "Perhaps.", "status": "WRITING"}
    assert (
        "still writing the answer:"
        in question.event_lines(Event(id="1-0", kind="provisional", data=data), 1.0, Style())[0]
    )
    assert answer.strip() == "Perhaps."


def test_status_is_shown_neither_before_the_first_step_nor_twice() -> None:
    first, asked, again, retrying = (
        _status("READING", id=""), _status("ASKED"), _status("ASKED", id="2-0"), _status("RETRYING"),
    )  # fmt: skip
    page = Event(id="3-0", kind="page", data={"url": "u"})
    assert list(question.new_events([first, asked, again, page, retrying])) == [asked, page, retrying]


def test_a_provisional_answer_is_shown_again_only_when_it_changed() -> None:
    one, same, other = (
        Event(id=f"{number}-0", kind="provisional", data={"answer": answer})
        for number, answer in enumerate(["One.", "One.", "Two."])
    )
    assert list(question.new_events([one, _status("SEEKING"), same, other])) == [one, _status("SEEKING"), other]


def test_short_answer_is_shown_above_the_answer() -> None:
    lines = question.record_lines(_record(short_answer="610 megawatt-hours"), Style(width=100))
    assert lines[2:5] == ["610 megawatt-hours", "", "They give 610 megawatt-hours a year. [1]"]
    assert "\x1b[1m" in "\n".join(question.record_lines(_record(short_answer="610"), Style(colour=True)))


def test_citation_says_when_its_page_was_changed() -> None:
    record = _record(citations=[citation(modified="2026-04-02T00:00:00Z")])
    assert "changed 2026-04-02" in "\n".join(question.record_lines(record, Style(width=100)))


def test_an_answer_is_shown_with_numbered_citations_title_url_and_dates() -> None:
    text = "\n".join(question.record_lines(_record(), Style(width=100)))
    assert "Answered in 3.5 s" in text
    assert "610 megawatt-hours a year. [1]" in text
    assert "[1] “The turbines give 610 megawatt-hours.”" in text
    assert "Energy\n    http://127.0.0.1/energy.html\n    published 2026-03-01, read 2026-11-03" in text


def _blocks(*said: tuple[str, str, list[int]]) -> Record:
    return _record(sentences=[{"text": text, "markers": markers, "block": block} for block, text, markers in said])


def test_lists_tables_and_code_are_shown_as_such() -> None:
    record = _blocks(
        ("heading", "Setup", []),
        ("", "Do this:", []),
        ("step", "Run what stands below, which is long:", [1]),
        ("code", "if a:\n\trun(\x1b[1m)", [1]),
        ("step", "Stop.", [1]),
        ("row", "Part | Price", []),
        ("row", "a \\| b | 4 €", [1]),
        ("item", "One.", [1]),
    )
    lines = question.record_lines(record, Style(width=30))
    assert lines[2:21] == [
        "Setup", "", "Do this:", "", "1. Run what stands below,", "   which is long: [1]", "", "    if a:",
        "        run([1m)", "[1]", "", "2. Stop. [1]", "", "Part   Price", "──────────────", "a | b  4 € [1]", "",
        "- One. [1]", "",
    ]  # fmt: skip


def test_wide_table_is_wrapped() -> None:
    record = _blocks(("row", "Part | Price", []), ("row", "A very long name of a part | 4 €", [1]))
    assert question.record_lines(record, Style(width=20))[2:6] == [
        "Part | Price", "A very long name of", "  a part | 4 € [1]", "",
    ]  # fmt: skip


def test_an_abstention_says_why_it_stopped_and_what_was_read() -> None:
    record = _record(
        status="ABSTAINED", answer="That is not known.", citations=[], stop_reason="all pages were read",
        live_urls=["http://a.example/1"], online_search_triggered=True,
    )  # fmt: skip
    text = "\n".join(question.record_lines(record, Style()))
    assert text.startswith("Not known in 3.5 s (1 page read)")
    assert "Stopped: all pages were read." in text
    assert "  http://a.example/1" in text


@pytest.mark.parametrize(
    ("status", "word"),
    [("TIMED_OUT", "Out of time"), ("CANCELLED", "Cancelled"), ("FAILED", "Failed"), ("READING", "Provisional")],
)
def test_every_end_has_its_word(status: str, word: str) -> None:
    assert question.record_lines(_record(status=status), Style())[0].startswith(word)


def test_a_failed_question_shows_its_error() -> None:
    lines = question.record_lines(
        _record(status="FAILED", answer=None, citations=[], error="retrieve: disk full"), Style()
    )
    assert "retrieve: disk full" in lines


def test_escape_sequences_in_a_page_are_not_shown() -> None:
    hostile = citation(title="\x1b]0;owned\x07Energy", quote="red \x1b[31mtext", url="http://a.example/\x1b[2J")
    assert not any("\x1b" in line for line in question.record_lines(_record(citations=[hostile]), Style()))


def test_colours_are_only_used_when_wanted() -> None:
    assert "\x1b[" in question.record_lines(_record(), Style(colour=True))[0]
    assert "\x1b[" not in "\n".join(question.record_lines(_record(), Style()))


def test_side_by_side_keeps_each_column_in_its_place() -> None:
    lines = question.side_by_side(
        ["one", "two"], [("seconds", ["1.0", "2.0"]), ("answer", ["yes", "no"])], Style(width=60)
    )
    at = lines[0].index("two")
    assert lines[2][at:] == "2.0"
    assert lines[3][at:] == "no"
    assert lines[3].startswith("answer")


@given(st.lists(st.text(max_size=60), min_size=3, max_size=3))
def test_a_table_of_long_cells_fits_the_terminal(cells: list[str]) -> None:
    lines = question.side_by_side(["a", "b", "c"], [("row", cells)], Style(width=80))
    assert all(columns(line) <= 80 for line in lines)


def test_a_reading_says_its_title_or_why_it_could_not_be_read() -> None:
    read = PageRead(
        id=1, url="http://a.example/", outcome="read", reason=None, page_id=2, title="Home", in_knowledge_base=True
    )
    gone = PageRead(
        id=2, url="http://a.example/x", outcome="gone", reason="404", page_id=None, title=None, in_knowledge_base=False
    )
    assert question.reading_lines(read, Style()) == ["read      http://a.example/  Home"]
    assert question.reading_lines(gone, Style()) == ["gone      http://a.example/x  404"]
    assert question.reading_lines(gone, Style(width=30)) == ["gone      http://a.example/x", "          404"]


def test_a_records_times_are_read_with_their_zone() -> None:
    assert _record().created_at == datetime(2026, 11, 3, 10, 0, tzinfo=UTC)


def test_paid_cents_are_not_shown_as_nothing() -> None:
    assert [question.dollars(usd) for usd in (0.0, 0.00004, 0.0123)] == ["$0.0000", "under $0.0001", "$0.0123"]
