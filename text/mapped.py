"""Keeps large arrays of models as files that are mapped: a process has the pages that it uses, and shares them."""

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
            former.unlink(missing_ok=True)
        written = path.with_suffix(f".{os.getpid()}")
        with written.open("wb") as file:
            np.save(file, array)
        written.replace(path)
        array = np.load(path, mmap_mode="r")
    return array
