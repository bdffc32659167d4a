"""Keeps models in little memory: a process opens each once, as long as it is used, and large arrays as mapped files.

Of a mapped file a process has the pages that it uses, and shares them with others.
"""

import ctypes
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from importlib.metadata import version
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

Args = ParamSpec("Args")
Model = TypeVar("Model")

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


def kept_while_used(opened: Callable[Args, Model]) -> Callable[Args, Model]:
    """Have what opens a model return the one that the process has for these arguments, until nobody holds it any more.

    A forked process opens its own: it has none of its parent's threads.
    """
    models: WeakValueDictionary[object, Any] = WeakValueDictionary()
    opening = threading.Lock()

    @wraps(opened)
    def open_once(*args: Args.args, **named: Args.kwargs) -> Model:
        key = os.getpid(), args, *named.items()
        with opening:
            model: Model | None = models.get(key)
            if model is None:
                model = models[key] = opened(*args, **named)
            return model

    return open_once


def give_back() -> None:
    """Give memory that was freed back to the system, where glibc would keep it for what comes next."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
