"""Test that words stay, and links, images and scripts are removed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.safety.sanitize import has_unsourced_url, sanitize, strip_unsourced_tags
from tests.growth import MOST_RATIO, growth, seconds_of
from tests.tables import each_row

PIECES = st.lists(
    st.sampled_from(["![", "[", "]", "](", "(", ")", "http://e.x/", "javascript:", "a b", "\n", "!", "[1]", "<", ">"])
    | st.text(max_size=3),
    max_size=25,
).map("".join)


@each_row(
    ("text", "expected"),
    [
        ("See ![the map](http://e.x/m.png?q=1).", "See the map."),
        ("See [the map](http://e.x/?q=(1)).", "See the map."),
        ("[![map](http://e.x/a)](http://e.x/b)", "map"),
        ("![map][1] of it", "map of it"),
        ("<https://e.x/>", "https://e.x/"),
        ("Built in 1874. [1] [2] It is tall.[3]", "Built in 1874. It is tall."),
        ("Call handlers[0](event) or argv[1].", "Call handlers[0](event) or argv[1]."),  # code is no link
        ("Use <b>, and a < b.", "Use <b>, and a < b."),
        ("über 10 € 🗼", "über 10 € 🗼"),
    ],
)
def test_words_stay_and_addresses_go(text: str, expected: str) -> None:
    assert sanitize(text) == expected


@given(text=PIECES)
def test_no_image_and_no_link_is_left_of_any_text(text: str) -> None:
    left = sanitize(text)
    assert "![" not in left
    assert not re.search(r"\]\(\s*(?:http|javascript)", left)


def test_markers_stay_in_code() -> None:
    assert sanitize("x = [1]", markers=True) == "x = [1]"


def test_tag_that_no_source_holds_is_taken_out() -> None:
    assert strip_unsourced_tags("Use <figure> <img src=x onerror=y>now<script", ["the <figure> tag"]) == (
        "Use <figure> now< script"
    )


@each_row(
    ("text", "is_made_up"),
    [
        ("at https://e.x/plans.", False),
        ("at https://e.x/plans?q=secret", True),
        ("at HTTPS://E.X/plans", False),
        ("at www.other.example", True),
        ("at other.example/secret", True),
        ("javascript:alert(1)", True),
        ("and/or 3.5/4, e.g. this: that", False),
    ],
)
def test_address_must_stand_in_a_source(text: str, is_made_up: bool) -> None:
    assert has_unsourced_url(text, ["Plans stand at https://e.x/plans for all."]) is is_made_up


@pytest.mark.nightly  # it measures time
@pytest.mark.parametrize("piece", ["\t", " ", "\n", ". ", "[", "[1", " [1] ", "![", "](", "<a", "é "])
def test_time_is_in_proportion_to_the_text(piece: str) -> None:
    assert growth(lambda length: seconds_of(lambda: sanitize(piece * (length // len(piece)))), 4_000) <= MOST_RATIO
