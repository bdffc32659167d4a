"""A file that cannot be read as an archive is named, with what is wrong with it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from domain.errors import WellreadError
from store.archive.archive import explained


class Bad(WellreadError):
    """The file is bad."""


FILE = Path("known.zip")


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (FileNotFoundError(2, "No such file"), "known.zip cannot be read: No such file."),
        (
            zipfile.BadZipFile("no zip\nat all"),
            "known.zip is damaged, or was not written by `wellread backup`: no zip. Stop.",
        ),
        (EOFError(), "known.zip is damaged, or was not written by `wellread backup`: EOFError. Stop."),
        (KeyError("parts"), "known.zip is damaged, or was not written by `wellread backup`: 'parts'. Stop."),
    ],
)
def test_what_a_strange_file_raises_is_said_with_its_name(raised: Exception, said: str) -> None:
    with pytest.raises(Bad) as error, explained(FILE, Bad, "backup", KeyError, then="Stop."):
        raise raised
    assert str(error.value) == said


def test_fault_of_the_program_is_not_blamed_on_the_file() -> None:
    with pytest.raises(KeyError), explained(FILE, Bad, "export"):
        raise KeyError
