"""Keeps large arrays of models as files: a process maps the pages that it uses, and shares them, or reads rows."""

import os
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: where they are kept; None: in each process' own memory
folder: Path | None = None


def mapped(package: str, name: str, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    """Return an array of a package's model, made and kept where it is not there yet, for this version of the package.

    Where it cannot be kept, it is made for this process alone.
    """
    if folder is None:
        return make()
    path = folder / f"{package}-{version(package)}-{name}.npy"
    with suppress(OSError, ValueError):  # it is not there, or torn
        kept: NDArray[Any] = np.load(path, mmap_mode="r")
        return kept
    array = make()
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for former in folder.glob(f"{package}-*-{name}.npy"):
            if former != path:  # which another process may have kept just now
                former.unlink(missing_ok=True)
        written = path.with_suffix(f".{os.getpid()}")
        with written.open("wb") as file:
            np.save(file, array)
        written.replace(path)
        array = np.load(path, mmap_mode="r")
    return array


class Rows:
    """A table of which single rows are read: with each, its mapping would keep the 64 KB around it in memory."""

    def __init__(self, table: "np.memmap[Any, Any]") -> None:
        self._file = os.open(str(table.filename), os.O_RDONLY)  # as long as the process lives
        self._offset, self._dtype, self._columns = table.offset, table.dtype, table.shape[1]
        self._row = table[:1].nbytes

    def __getitem__(self, ids: NDArray[np.int64]) -> NDArray[Any]:
        """Return the rows of these numbers, which may come again: (len(ids), columns)."""
        once, places = np.unique(ids, return_inverse=True)
        rows = b"".join(os.pread(self._file, self._row, self._offset + self._row * at) for at in once.tolist())
        found: NDArray[Any] = np.frombuffer(rows, self._dtype).reshape(-1, self._columns)[places]
        return found
