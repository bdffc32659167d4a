"""Test that invisible characters are removed, except those a language needs."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from text.invisible import strip_invisible


@each_row(
    ("text", "expected"),
    [
        ("a\u200bb\u2060c\ufeff", "abc"),
        ("a\x1b[31mb\x9b2Jc\x00", "a [31mb 2Jc "),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("\u202eabc\u202c \u2066d\u2069", "abc d"),
        ("flag\U000e0041\U000e0042", "flag"),
        ("a\ufe01\ufe02b\U000e0150", "ab"),  # bytes as variation selectors
        ("Sil\xadben", "Silben"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # Persian needs its joiner
        ("क्\u200dष", "क्\u200dष"),
        ("👩\u200d🚀 ❤\ufe0f 1\ufe0f\u20e3", "👩\u200d🚀 ❤\ufe0f 1\ufe0f\u20e3"),
        ("e" + "\u0301" * 50, "e" + "\u0301" * 4),
        ("Ελληνικά, עברית, 中文, ไทย\n\ttab", "Ελληνικά, עברית, 中文, ไทย\n\ttab"),
    ],
)
def test_unseen_characters_go_and_letters_stay(text: str, expected: str) -> None:
    assert strip_invisible(text) == expected


@given(text=st.text(max_size=200))
def test_what_is_shown_is_shown_as_it_is(text: str) -> None:
    once = strip_invisible(text)
    assert strip_invisible(once) == once
    assert not any(unicodedata.category(char) == "Cc" and char not in "\t\n" for char in once)
