"""An answer on the terminal is as long as what was asked for needs, and no quote is said twice."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.cli.answer import SHORT, answer_in_short, chosen_places, excerpt, record_lines
from api.cli.width import Style
from tests.api.records import citation, record_json
from tests.tables import each_row
from wellread import Record
from wellread.responses import to_value

TURBINES = "Each has three blades and a rotor 9 metres across, and turns no faster than fourteen times a minute."
LOWERED = "They were lowered into place in September 2017, when a cable of 740 metres was laid to the old landing."
OUTPUT = "In an average year the turbines generate 610 megawatt-hours of electricity."
USE = "The station itself uses about a third of that; the rest goes by a second cable to the village of Northhouse."


def quoting(quote: str, words: str, confidence: float = 0.9, **changes: Any) -> Record:
    """A record whose answer is a quote, with its short answer."""
    start = quote.find(words)
    focus = {"start": start, "end": start + len(words), "confidence": confidence}
    given = {
        "answer": f"{quote} [1]",
        "short_answer": words,
        "sentences": [{"text": quote, "markers": [1], "focus": focus}],
        "citations": [citation(quote=quote)],
    }
    return to_value(Record, record_json(**{**given, **changes}))


#: the quote, the words asked for, what is shown
CUT = [
    # the sentence with the words, between the others
    (f"{TURBINES} {LOWERED} {OUTPUT} {USE}", "610", f"… {OUTPUT} …"),
    # the first and the last sentence
    (f"{OUTPUT} {TURBINES} {LOWERED}", "610", f"{OUTPUT} …"),
    (f"{TURBINES} {LOWERED} {OUTPUT}", "610", f"… {OUTPUT}"),
    # a sentence that goes on with the one before it
    (f"{OUTPUT} {TURBINES} {LOWERED} {USE}", "2017", f"… {TURBINES} {LOWERED} …"),
    # a short quote stays whole
    (f"{OUTPUT} {LOWERED}", "610", f"{OUTPUT} {LOWERED}"),
    # so does what is read line by line
    (f"{TURBINES}\n{LOWERED}\n{OUTPUT}\n{USE}", "610", f"{TURBINES}\n{LOWERED}\n{OUTPUT}\n{USE}"),
]


@each_row(("quote", "words", "shown"), CUT)
def test_long_quote_is_cut_to_the_sentence_with_what_was_asked_for(quote: str, words: str, shown: str) -> None:
    assert answer_in_short(quoting(quote, words)) == f"{shown} [1]"


def test_quote_without_sure_words_stays_whole() -> None:
    quote = f"{TURBINES} {LOWERED} {OUTPUT} {USE}"
    assert answer_in_short(quoting(quote, "610", confidence=0.1)) == f"{quote} [1]"


def _without_short_answer() -> Record:
    quote, start = f"{TURBINES} {OUTPUT} {USE}", len(TURBINES) + 1
    sentence = {"text": quote, "markers": [1], "chosen": {"start": start, "end": start + len(OUTPUT)}}
    return quoting(quote, "610", short_answer=None, sentences=[sentence])


def test_chosen_sentence_is_bold_among_its_neighbours_where_there_is_no_short_answer() -> None:
    lines = "\n".join(record_lines(_without_short_answer(), Style(width=60, colour=True))[2:])
    bold = re.findall(r"\x1b\[1m(.*?)\x1b\[0m", lines)
    assert len(bold) > 1  # a part of each of its lines
    assert " ".join(bold) == OUTPUT
    assert " ".join(re.sub(r"\x1b\[\dm", "", lines).split()).startswith(f"{TURBINES} {OUTPUT} {USE} [1]")


def test_chosen_sentence_is_not_marked_without_colours_or_beside_a_short_answer() -> None:
    assert "\x1b" not in "\n".join(record_lines(_without_short_answer(), Style(width=60)))
    start = len(TURBINES) + 1
    focus = {"start": start, "end": start + 2, "confidence": 0.9}
    sentence = {"text": f"{TURBINES} {OUTPUT}", "markers": [1], "focus": focus, "chosen": {"start": start, "end": 150}}
    assert chosen_places(quoting(f"{TURBINES} {OUTPUT}", "610", sentences=[sentence])) == []


@pytest.mark.parametrize("width", [12, 80])
def test_chosen_sentence_is_bold_at_its_place_where_its_words_stand_before_it_too(width: int) -> None:
    quote, words = "- Never touch:  wipe the lamp\n- wipe the lamp", "wipe the lamp"
    start = quote.rindex(words)
    sentence = {"text": quote, "markers": [1], "chosen": {"start": start, "end": len(quote)}}
    given = [{"text": "wipe the lamp", "markers": [1]}, sentence]
    record = quoting(quote, "lamp", answer=f"wipe the lamp [1] {quote} [1]", short_answer=None, sentences=given)
    answer = "\n".join(record_lines(record, Style(width=width, colour=True))[2:]).split("\n\n")[0]
    before, _, rest = answer.partition("\x1b[1m")
    assert "".join(before.split()) == "wipethelamp[1]-Nevertouch:wipethelamp-"
    assert " ".join(re.sub(r"\x1b\[\dm", "", rest).split()) == f"{words} [1]"


@given(st.text(min_size=1, max_size=800), st.integers(0, 800), st.integers(1, 40))
def test_words_asked_for_are_always_shown(text: str, start: int, length: int) -> None:
    end = min(len(text), start + length)
    words = text[start:end].strip()
    assert words in excerpt(text, start, end)


def test_answer_that_is_its_quote_is_shown_once() -> None:
    lines = record_lines(quoting(OUTPUT, "610"), Style(width=SHORT))
    assert lines[2:] == [
        "610", "", f"{OUTPUT} [1]", "", "[1] Energy", "    http://127.0.0.1/energy.html",
        "    published 2026-03-01, read 2026-11-03",
    ]  # fmt: skip


def test_short_answer_that_is_most_of_the_answer_is_not_shown_above_it() -> None:
    record = quoting("Robert Tallis did.", "Robert Tallis")
    assert record_lines(record, Style())[2] == "Robert Tallis did. [1]"


def test_page_that_is_quoted_twice_is_named_once() -> None:
    cited = [citation(quote=OUTPUT), citation(quote=USE, marker=2), citation(quote="Other words.", marker=3)]
    record = quoting(OUTPUT, "610", answer=f"{OUTPUT} [1] {USE} [2] It is so. [3]", citations=cited)
    lines = record_lines(record, Style(width=SHORT))
    assert lines[6:10] == [
        "[1] [2] Energy",
        "    http://127.0.0.1/energy.html",
        "    published 2026-03-01, read 2026-11-03",
        "",
    ]
    assert lines[10:12] == ["[3] “Other words.”", "    Energy"]


def test_page_without_a_title_is_cited_by_its_address() -> None:
    record = quoting(OUTPUT, "610", citations=[citation(quote=OUTPUT, title="")])
    assert "[1] http://127.0.0.1/energy.html" in record_lines(record, Style())
