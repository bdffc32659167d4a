"""A fingerprint: the same for the same words, near for nearly the same, far for others; found by a band."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from store.pages import duplicates

WORDS = [f"word{at}" for at in range(400)]


def test_fingerprint_does_not_change_from_one_machine_to_the_next() -> None:
    assert duplicates.bands(" ".join(WORDS)) == (37559, 2633, 37390, 32920)


def test_case_and_punctuation_do_not_count() -> None:
    assert duplicates.bands(" ".join(WORDS)) == duplicates.bands(". ".join(WORDS).title())


def test_text_with_one_word_more_is_near_and_another_is_far() -> None:
    one = duplicates.bands(" ".join(WORDS))
    longer = duplicates.bands(" ".join([*WORDS, "printed"]))
    other = duplicates.bands(" ".join(f"other{at}" for at in range(400)))
    assert one is not None
    assert longer is not None
    assert other is not None
    assert duplicates.distance(one, longer) <= duplicates.NEAR
    assert duplicates.distance(one, other) > 15


def test_chinese_is_counted_by_its_characters() -> None:
    assert duplicates.bands("灯塔的灯每天晚上都要点亮" * 5) is not None


def test_short_text_has_no_fingerprint() -> None:
    assert duplicates.bands(" ".join(WORDS[: duplicates.LEAST - 1])) is None


@given(st.text(max_size=2000))
def test_any_text_has_one_or_none(text: str) -> None:
    found = duplicates.bands(text)
    assert found is None or (len(found) == duplicates.BANDS and all(0 <= band < 65536 for band in found))


@given(st.integers(0, 2**64 - 1), st.sets(st.integers(0, 63), max_size=duplicates.NEAR))
def test_fingerprints_that_differ_in_three_bits_share_a_band(value: int, flipped: set[int]) -> None:
    other = value
    for bit in flipped:
        other ^= 1 << bit
    ours, theirs = (tuple(each >> 16 * at & 0xFFFF for at in range(4)) for each in (value, other))
    assert duplicates.distance(ours, theirs) == len(flipped)
    assert any(a == b for a, b in zip(ours, theirs, strict=True))
