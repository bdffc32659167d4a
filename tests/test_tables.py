"""A table that is one test fails for each row that fails, and says which."""

from __future__ import annotations

import pytest

from tests.tables import each_row


def test_every_row_that_fails_is_named(tmp_path: object) -> None:
    @each_row(("asked", "wanted"), [(1, 1), (2, 3), (4, 4), (5, 6)])
    def squares(asked: int, wanted: int, tmp_path: object) -> None:
        assert asked == wanted, tmp_path

    with pytest.raises(ExceptionGroup, match="2 of 4 rows") as raised:
        squares(tmp_path=tmp_path)
    assert [note for error in raised.value.exceptions for note in error.__notes__] == [
        "row 2: {'asked': 2, 'wanted': 3}",
        "row 4: {'asked': 5, 'wanted': 6}",
    ]


@each_row("number", [1, 2])
def test_fixtures_are_given_beside_the_row(number: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert number
    assert tmp_path_factory.getbasetemp().is_dir()
