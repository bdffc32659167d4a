"""Markup within a sentence does not part it, whatever it marks."""

from __future__ import annotations

import pytest

from crawler.extract.document import extract
from tests.tables import each_row
from text.sentences import sentence_spans

ABOVE = "The keeper trims the wick every evening before he lights the lamp, because a dirty one gives a yellow light."
BELOW = "At midnight he fills it with oil, which the ferry brings in spring and in autumn, and writes the hour down."
SENTENCE = "In the end you should not point the C: drive at where the installer keeps the files of the lamp."


@pytest.mark.parametrize("kind", ["website", "article"])
@pytest.mark.parametrize(
    "opening", ["<code>", "<tt>", "<kbd>", "<span class='cmd'>", "<a href='c.html'>", "<em>", "<code>\n"]
)
def test_inline_markup_stays_inline(opening: str, kind: str) -> None:
    closing = f"</{opening.split()[0].strip('<>')}>"
    marked = SENTENCE
    for word in ("C:", "where"):
        marked = marked.replace(word, f"{opening}{word}{closing}")
    page = (
        f"<html><head><title>Lamps</title><meta property='og:type' content='{kind}'></head>"
        f"<body><article><p>{ABOVE}</p><p>{marked}</p><p>{BELOW}</p></article></body></html>"
    )
    read = extract(page.encode(), url="http://a.example/lamp.html", content_type="text/html; charset=utf-8")
    assert [block.kind for block in read.blocks] == ["prose"] * 3
    assert [read.text[start:end] for start, end in sentence_spans(read.text)] == [ABOVE, SENTENCE, BELOW]


def _read(markup: str, head: str = "") -> str:
    page = (
        f"<html><head><title>Lamps</title>{head}</head><body><p>{ABOVE}</p><p>{markup}</p><p>{BELOW}</p></body></html>"
    )
    read = extract(page.encode(), url="http://a.example/lamp.html", content_type="text/html; charset=utf-8")
    return " ".join(read.text.removeprefix(ABOVE).removesuffix(BELOW).split())


@each_row(
    "markup, text",
    [
        ("It holds 10<sup>6</sup> litres.", "It holds 10^6 litres."),
        ("It is 10<sup>-3</sup> m wide, 2<sup>n</sup> in all.", "It is 10^-3 m wide, 2^n in all."),
        ("A gain of (1+r)<sup>5</sup>, or x<sup>n+1</sup>.", "A gain of (1+r)^5, or x^(n+1)."),
        ("20 m<sup>2</sup> at 3 m s<sup>-1</sup>", "20 m² at 3 m s⁻¹"),
        ("10<span style='vertical-align: super'>6</span> litres", "10^6 litres"),
        ("10<span style='position: relative; top: -.4em; font-size: 70%'>6</span> litres", "10^6 litres"),
        ("10<small style='position: relative; bottom: 4px'>6</small> litres", "10^6 litres"),
        ("10<span style='vertical-align: .5em'>6</span> litres", "10^6 litres"),
        ("10<span style='vertical-align: 2px; font-size: smaller'>6</span> litres", "10^6 litres"),
        ("101<span style='vertical-align: -30%; font-size: .7em'>2</span> boats", "101_2 boats"),
        ("10<span style='vertical-align: 1px'>6</span> litres", "106 litres"),
        ("10<span style='position: relative; top: -4px'>6</span> litres", "106 litres"),
        ("10<span style='position: relative; left: 2px; font-size: 70%'>6</span> litres", "106 litres"),
        ("H<sub>2</sub>O, Ca<sup>2+</sup> and SO<sub>4</sub><sup>2-</sup>", "H2O, Ca²⁺ and SO4²⁻"),
        ("<sup>14</sup>C dating", "¹⁴C dating"),
        ("101<sub>2</sub>, x<sub>i</sub>, pressure<sub>max</sub>", "101_2, x_i, pressure_max"),
        ("A tile costs 19<sup>99</sup> euros.", "A tile costs 19.99 euros."),
        ("Only $19<sup>99</sup>!", "Only $19.99!"),
        ("a debt of 10<sup>12</sup> dollars", "a debt of 10^12 dollars"),
        ("Open 9<sup>00</sup>–17<sup>00</sup>.", "Open 9:00–17:00."),
        ("5<sup>1</sup>/<sub>2</sub> cups at 20<sup>o</sup>C", "5 1/2 cups at 20°C"),
        ("On the 1<sup>st</sup>, the XIX<sup>e</sup>.", "On the 1st, the XIXe."),
        ("The lamp<sup><a href='#n1'>1</a></sup> burns.<a href='#n2'><sup>2</sup></a>", "The lamp burns."),
        ("In 1999<sup class='reference'><a href='#c'>[4]</a></sup> it fell.", "In 1999 it fell."),
        ("The lamp<sup>1</sup> burns.<sup>2</sup>", "The lamp [1] burns."),
        ("Lampo<sup>TM</sup> burns*", "Lampo TM burns*"),
    ],
)
def test_raised_and_lowered_text_keeps_its_meaning(markup: str, text: str) -> None:
    assert _read(markup) == text


@each_row(
    "struck",
    [
        "<s>50 euros</s>",
        "<del>50 euros</del>",
        "<strike>50 euros</strike>",
        "<span style='text-decoration: line-through'>50 euros</span>",
        "<span style='text-decoration-line: underline line-through'>50 euros</span>",
        "<b class='was'>50 euros</b>",
        "<b class='text-grey line-through'>50 euros</b>",
        "<span class='was'><i>50</i> euros</span>",
    ],
)
def test_struck_text_is_left_out_and_its_new_value_is_kept(struck: str) -> None:
    head = "<style>.was { color: grey; text-decoration: line-through 2px }</style>"
    assert _read(f"A berth costs {struck} <ins>35 euros</ins>.", head) == "A berth costs 35 euros."


def test_text_whose_line_a_style_takes_away_is_read() -> None:
    assert _read("A berth costs <s style='text-decoration: none'>50 euros</s>.") == "A berth costs 50 euros."
