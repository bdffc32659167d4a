"""Test that a number of a model's sentence must be in its source, in some form and as exact."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.answering.support.unsupported_values import unsupported_values
from tests.tables import each_row


@each_row(
    ("sentence", "source"),
    [
        ("It was built in 1874.", "The lighthouse was built in 1874."),
        ("About 1,000 people live there.", "It has one thousand people."),
        ("It was opened on 3 October 1990.", "Opened: 1990-10-03"),
        ("It was opened in the 1970s.", "It was opened in 1974."),  # less exactly
        ("It has 1.2 million readers.", "It has 1,234,567 readers."),
        ("It is 5 km long.", "It is five kilometres long."),
        ("Half of it burned.", "50 % of it burned."),
        ("It has three wheels.", "It has 3 wheels."),
        ("1.000 Leute leben dort.", "1,000 people live there."),
        ("One of the two largest.", "Among the largest."),  # counts nothing
        ("COVID-19 came on A4 paper.", "The COVID-19 form, on A4."),
        ("It needs version 3.11.", "It needs version 3.11.2."),
        ("No number at all.", ""),
    ],
)
def test_number_of_the_source_is_no_invention(sentence: str, source: str) -> None:
    assert unsupported_values(sentence, [source], langs=("en", "de")) == []


@each_row(
    ("sentence", "source", "wrong"),
    [
        ("It was built in 1875.", "The lighthouse was built in 1874.", "1875"),
        ("It was opened on 3 October 1990.", "It was opened in 1990.", "3 October 1990"),  # more exactly
        ("It cost $5 million.", "It is 5 km long.", "$5 million"),
        ("It is 12.3 m tall.", "It is 12 m tall.", "12.3 m"),
        ("It has four wheels.", "It has 3 wheels.", "four"),
        ("That was 12 years later.", "It opened in 1990 and closed in 2002.", "12 years"),  # worked out
        ("It holds 250.", "It holds 1,250.", "250"),
        ("It runs on A5.", "It runs on A4.", "A5"),
        ("It was built in 1874.", "", "1874"),
    ],
)
def test_number_that_the_source_does_not_give_is_found(sentence: str, source: str, wrong: str) -> None:
    assert unsupported_values(sentence, [source], langs=("en", "de")) == [wrong]


texts = st.text(alphabet="0123456789.,:-$€% abkmMay", max_size=30)


@settings(deadline=None)
@given(texts)
def test_nothing_is_made_up_in_what_is_quoted(text: str) -> None:
    assert unsupported_values(text, [text]) == []


@settings(deadline=None)
@given(texts, texts, texts)
def test_more_sources_never_make_more_of_a_sentence_made_up(text: str, one: str, other: str) -> None:
    assert len(unsupported_values(text, [one, other])) <= len(unsupported_values(text, [one]))
