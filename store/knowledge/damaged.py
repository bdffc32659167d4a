"""Says of what a strange file makes the reader of ZIP archives raise that the file is bad."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from domain.errors import WellreadError

_OF_A_ZIP: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


@contextmanager
def explained(
    path: Path, bad: type[WellreadError], what: str, *others: type[Exception], then: str = ""
) -> Iterator[None]:
    """Raise ``bad`` for what reading a file raises; ``what`` it is not, such as "export", ``then`` a last sentence.

    ``others`` are the exceptions that only this kind of file makes its reader raise.
    """
    damage: tuple[type[Exception], ...] = (*_OF_A_ZIP, *others)
    try:
        yield
    except OSError as error:
        raise bad(f"{path} cannot be read: {error.strerror or error}.") from error
    except damage as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise bad(
            " ".join(filter(None, (f"{path} is damaged, or was not written by `wellread {what}`: {said}.", then)))
        ) from error
