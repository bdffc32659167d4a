"""Conditions on metadata are read and compared as they are meant."""

from typing import Any

import pytest

from domain.filters import fits, parse, tags_of, values_of


@pytest.mark.parametrize(
    ("metadata", "condition", "do_fit"),
    [
        ({"n": 0.00001}, "n<0.001", True),
        ({"n": 1e22}, "n>1000", True),
        ({"n": 1e22}, "n<1000", False),
        ({"n": 2000}, "n>=1e3", True),
        ({"n": 200}, "n>=1e3", False),
        ({"n": "1.5e3"}, "n>=1e3", True),
        ({"n": 10**307}, "n>1e306", True),
        ({"n": "two"}, "n>1", False),
        ({"n": True}, "n>0", False),
        ({"day": "2026-03-01"}, "day>=2026-02-01", True),
        ({"document": "x"}, 'document=""', False),
        ({}, "n!=1", True),
        ({"n": [" a", "b"]}, 'n=" a"', True),
    ],
)
def test_page_fits_a_condition_on_its_metadata(metadata: dict[str, Any], condition: str, do_fit: bool) -> None:
    assert fits(tags_of(metadata), [condition]) is do_fit


def test_number_too_large_to_compare_is_a_text() -> None:
    for value in ("1e999", 10**400):
        assert values_of({"n": value}) == [("n", str(value), None)]


@pytest.mark.parametrize("condition", [r'team="\ud800"', r'team=a|"b\u0000"'])
def test_value_that_cannot_be_stored_is_refused(condition: str) -> None:
    with pytest.raises(ValueError, match=r"team.* has a character that cannot be stored"):
        parse(condition)
