from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from text import mapped
from text.mapped import Rows


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Where arrays are kept for one test."""
    before, mapped.folder = mapped.folder, tmp_path / "models"
    yield mapped.folder
    mapped.folder = before


def _table() -> NDArray[Any]:
    return np.arange(600, dtype=np.uint8).reshape(-1, 6)


def test_an_array_is_made_once_and_its_former_version_is_removed(folder: Path) -> None:
    folder.mkdir()
    (folder / "numpy-0.1-table.npy").write_bytes(b"of a former version")
    made = []
    for _ in range(2):
        kept = mapped.mapped("numpy", "table", lambda: made.append(1) or _table())  # type: ignore[func-returns-value]
        assert isinstance(kept, np.memmap)
        assert np.array_equal(kept, _table())
    assert len(made) == len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("ids", [[3, 99, 3, 0], [7], []])
def test_rows_that_are_read_are_those_of_the_table(folder: Path, ids: list[int]) -> None:
    kept = mapped.mapped("numpy", "table", _table)
    assert isinstance(kept, np.memmap)
    wanted = np.array(ids, dtype=np.int64)
    found = Rows(kept)[wanted]
    assert found.dtype == np.uint8
    assert np.array_equal(found, _table()[wanted])
