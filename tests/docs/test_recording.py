"""The recorded terminal is a picture that any page may show, and shows what the tutorial says."""

from __future__ import annotations

from xml.etree import ElementTree

from tests.docs.recording import PLACE, Line, spans, svg

TEXT = "{http://www.w3.org/2000/svg}text"


def shown(picture: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(picture).iter(TEXT)]


def test_recording_shows_the_questions_and_their_quotes() -> None:
    picture = PLACE.read_text("utf-8")
    lines = "\n".join(shown(picture))
    assert (
        '$ wellread ask "How long does the dough of the rye bread rest?" --site http://127.0.0.1:8000/ --own' in lines
    )
    assert "provisional answer, still " in lines
    assert "The dough of our rye bread rests for eighteen hours in the cellar." in lines
    assert "[1] Rye bread" in lines
    assert "nothing had to be read" in lines
    assert "<script" not in picture
    assert picture.count("http://") == lines.count("http://") + 1  # the name of SVG


def test_lines_appear_at_their_times_and_the_last_ones_stay() -> None:
    picture = svg([Line(at_s=n / 2, text=f"line {n}") for n in range(4)], rows=3)
    assert shown(picture) == ["line 0", "line 1", "line 2", "line 3"]
    assert "animation-delay:1.50s" in picture
    assert "100.00% { transform: translateY(-19px) }" in picture


def test_colours_become_styles_and_marks_are_escaped() -> None:
    assert spans("\x1b[32;1m$\x1b[0m a < b") == '<tspan class="g b">$</tspan> a &lt; b'
