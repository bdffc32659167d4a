"""Two ways of writing one value are the same; two values are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.answering.values.find import values_in
from pipeline.answering.values.value import Value, ValueKind, is_comparable, may_be_equal
from tests.tables import each_row


def only(text: str, kind: ValueKind, lang: str = "en") -> Value:
    (value,) = values_in(text, kind, lang)
    return value


@each_row(
    ("kind", "one", "other"),
    [
        ("number", "1,000 people", "1000 people"),
        ("number", "1 000 people", "one thousand people"),
        ("number", "three", "3"),
        ("number", "twenty-one", "21"),
        ("number", "a dozen", "12"),
        ("number", "1.2 million", "1,234,567"),  # rounded
        ("number", "about 400", "412"),
        ("number", "between 40 and 50", "45"),
        ("number", "5 km", "5,000 m"),
        ("number", "41 metres", "134.5 feet"),
        ("number", "5 %", "5 percent"),
        ("number", "50 per cent", "half"),
        ("number", "20 °C", "68 °F"),
        ("number", "90 minutes", "1.5 hours"),
        ("money", "$1,000", "1000 dollars"),
        ("money", "€1.5 million", "1,500,000 euros"),
        ("date", "1 January 1970", "1970-01-01"),
        ("date", "January 1, 1970", "1st of January 1970"),
        ("date", "1970", "May 1970"),  # a year for a day
        ("date", "the 1970s", "1974"),
        ("date", "the 19th century", "1874"),
        ("date", "from 1754 to 1763", "1756"),
    ],
)
def test_one_value_in_two_forms_is_the_same(kind: ValueKind, one: str, other: str) -> None:
    assert may_be_equal(only(one, kind), only(other, kind))


@each_row(
    ("kind", "one", "other"),
    [
        ("number", "3", "4"),
        ("number", "1,000", "1,400"),
        ("number", "5 km", "8 km"),
        ("number", "40 %", "60 %"),
        ("money", "$40", "$45"),
        ("date", "1874", "1880"),
        ("date", "1 January 1970", "2 January 1970"),
        ("date", "4 July", "5 July"),
        ("date", "the 18th century", "1874"),
    ],
)
def test_two_values_are_comparable_and_not_the_same(kind: ValueKind, one: str, other: str) -> None:
    first, second = only(one, kind), only(other, kind)
    assert is_comparable(first, second)
    assert not may_be_equal(first, second)


@pytest.mark.parametrize(
    ("one", "other"),
    [("5 km", "5 hours"), ("41 m", "41"), ("20 kg", "20 °C")],
)
def test_numbers_of_different_measures_are_not_compared(one: str, other: str) -> None:
    assert not is_comparable(only(one, "number"), only(other, "number"))


def test_currencies_are_not_compared() -> None:
    assert not is_comparable(only("$40", "money"), only("€40", "money"))


@pytest.mark.parametrize(
    ("text", "lang", "low", "high"),
    [
        ("1.000", "de", 950, 1050),
        ("1.234", "en", 1.2335, 1.2345),
        ("3,5", "de", 3.45, 3.55),
        ("einundzwanzig", "de", 20.51, 21.49),
    ],
)
def test_the_language_says_what_points_and_commas_mean(text: str, lang: str, low: float, high: float) -> None:
    value = only(text, "number", lang)
    assert (value.low, value.high) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.parametrize("text", ["version 3.1.2", "no number here", "in May 1970", "1970-01-01", "the 1970s"])
def test_what_is_no_number_is_none(text: str) -> None:
    assert values_in(text, "number", "en") == []


def test_german_dates_are_read() -> None:
    assert may_be_equal(only("am 3. Oktober 1990", "date", "de"), only("03.10.1990", "date", "de"))


kinds = st.sampled_from(["number", "money", "date"])
texts = st.text(alphabet="0123456789.,-–$€% abetwonskmJanuryEiflßſK°", max_size=40)


@given(texts, kinds, st.sampled_from(["en", "de", "und"]))
def test_a_value_stands_in_its_text_and_is_the_same_as_itself(text: str, kind: ValueKind, lang: str) -> None:
    found = values_in(text, kind, lang)
    for value in found:
        assert 0 <= value.start < value.end <= len(text)
        assert value.low <= value.high
        assert may_be_equal(value, value)
    assert [value.start for value in found] == sorted(value.start for value in found)


@given(texts, texts, kinds)
def test_being_the_same_is_mutual(one: str, other: str, kind: ValueKind) -> None:
    for first in values_in(one, kind, "en"):
        for second in values_in(other, kind, "en"):
            assert may_be_equal(first, second) == may_be_equal(second, first)


@given(st.integers(0, 10**9))
def test_a_number_is_the_same_with_and_without_its_commas(number: int) -> None:
    assert may_be_equal(only(f"{number:,}", "number"), only(str(number), "number"))
