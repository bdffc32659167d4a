"""A page that is all preformatted text is read in paragraphs, headings and definitions; its code stays code."""

from __future__ import annotations

import html

import pytest

from crawler.extract.document import extract
from crawler.extract.html import parse
from crawler.extract.preformatted import write_preformatted
from domain import PageText
from tests.growth import MOST_RATIO, growth, seconds_of

MANUAL = """\
LAMP(1)                       Keeper's manual                       LAMP(1)



NAME
       lamp - light the lamp of a harbour

SYNOPSIS
       lamp [-dv] [--oil=KIND] [FILE]...
       lamp --help

DESCRIPTION
       The lamp program lights every lamp that a FILE  names,  in  the  order
       in  which  they  stand, and notes in the log of the harbour when each
       of them was lit.  It does not extin\u2010
       guish any.

       A second run on the same evening lights only those that have gone out
       since the first one.

       •      Lamps on land are lit first, so that the keeper can see.

       •      Those at sea follow.

OPTIONS
       -d, --dusk
              Wait for dusk before the first lamp is lit, and at most until
              midnight.

       -v     Say what is done, lamp by lamp, and what the weather is like
              there.

       -q     Say nothing at all.

EXAMPLES
       To light the lamps of both harbours:

           for harbour in north south; do
               lamp --oil=whale $harbour.conf
           done

           lamp --status

SEE ALSO
       wick(1), oil(7)

Harbour 2.1                      May 2024                           LAMP(1)
"""


def _read(text: str, *, around: str = "{}") -> PageText:
    body = around.format(f"<pre>{html.escape(text)}</pre>")
    page = f"<html><head><title>lamp(1)</title></head><body>{body}</body></html>"
    return extract(page.encode(), url="http://a.example/", content_type="text/html; charset=utf-8")


def _blocks(page: PageText) -> list[tuple[str, str]]:
    return [(block.kind, page.text[block.start : block.end]) for block in page.blocks]


@pytest.mark.parametrize("around", ["{}", "<div><a href='/'>Manuals</a></div><div>{}</div>"])
def test_a_manual_page_is_read_in_its_parts(around: str) -> None:
    blocks = _blocks(_read(MANUAL, around=around))
    assert blocks[-17:] == [
        ("heading", "NAME"),
        ("prose", "lamp - light the lamp of a harbour"),
        ("heading", "SYNOPSIS"),
        ("code", "lamp [-dv] [--oil=KIND] [FILE]...\nlamp --help"),
        ("heading", "DESCRIPTION"),
        (
            "prose",
            "The lamp program lights every lamp that a FILE names, in the order in which they stand, and notes in the "
            "log of the harbour when each of them was lit. It does not extinguish any.",
        ),
        (
            "prose",
            "A second run on the same evening lights only those that have gone out since the first one.",
        ),
        ("list", "- Lamps on land are lit first, so that the keeper can see.\n- Those at sea follow."),
        ("heading", "OPTIONS"),
        (
            "definition",
            "-d, --dusk\nWait for dusk before the first lamp is lit, and at most until midnight.",
        ),
        (
            "definition",
            "-v\nSay what is done, lamp by lamp, and what the weather is like there.",
        ),
        ("definition", "-q\nSay nothing at all."),
        ("heading", "EXAMPLES"),
        ("prose", "To light the lamps of both harbours:"),
        (
            "code",
            "for harbour in north south; do\n    lamp --oil=whale $harbour.conf\ndone\n\nlamp --status",
        ),
        ("heading", "SEE ALSO"),
        ("code", "wick(1), oil(7)"),
    ]


def test_wrapped_text_without_headings_is_read_in_paragraphs() -> None:
    paragraph = (
        "The keeper trims the wick every evening before he lights the\nlamp, and again at midnight when oil is low.\n\n"
    )
    page = _read(paragraph * 9 + "    lamp --oil=whale $harbour.conf\n")
    assert _blocks(page) == [*[("prose", " ".join(paragraph.split()))] * 9, ("code", "lamp --oil=whale $harbour.conf")]


def test_a_page_of_source_code_stays_as_it_is() -> None:
    source = (
        "def light(lamp):\n    # trim the wick first\n    wick = lamp.wick\n\n    return wick.burn(lamp.oil)\n\n" * 12
    )
    assert _read(source).text == source.strip()


def test_code_in_a_page_of_prose_stays_as_it_is() -> None:
    around = "<p>" + "The keeper trims the wick every evening before he lights the lamp. " * 30 + "</p>{}"
    assert _read(MANUAL, around=around).text.endswith(MANUAL.rstrip().splitlines()[-1])


def _write(groups: int) -> float:
    code = "\n\n".join(["x=1;"] * groups)
    tree = parse(f"<body><pre>NAME\n\nDESCRIPTION\n\n{code}</pre></body>")
    assert tree is not None
    spent = seconds_of(lambda: write_preformatted(tree))
    assert [element.text for element in tree.iter("pre")] == [code]
    return spent


@pytest.mark.nightly
def test_time_grows_no_faster_than_the_groups_of_code() -> None:
    assert growth(_write, 15_000) <= MOST_RATIO
