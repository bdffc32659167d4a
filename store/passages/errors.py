"""Define the errors of the passages table; turn LanceDB's errors into advice."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from domain.errors import WellreadError

#: what LanceDB says of a file that is not there
_MISSING: Final = ("not found", "no such file")


class PassagesError(WellreadError):
    """The passages table cannot be read or written."""


class EmbedderMismatch(PassagesError):
    """The table's vectors were made by another embedder."""

    def __init__(self, uri: str, *, stored: str, wanted: str) -> None:
        super().__init__(
            f"The passages in {uri} were embedded by {stored}, and this process embeds with {wanted}. "
            f"Set the embedder back to {stored}, or run `wellread reindex` to embed every passage again."
        )


class PassagesLost(PassagesError):
    """SQL names pages that were indexed, and the table with their passages is missing."""

    def __init__(self, uri: str) -> None:
        super().__init__(
            f"The passages in {uri} are missing, and the database names pages that were there: put the folder back, or "
            "run `wellread reindex` to build it again from the database."
        )


class OpenedBeforeFork(PassagesError):
    """The process was forked from one that had LanceDB open, whose threads and locks do not survive a fork."""

    def __init__(self, uri: str) -> None:
        super().__init__(
            f"The passages in {uri} cannot be used here: LanceDB was opened before this process was forked. "
            "Open them in the children alone, or start processes by spawn."
        )


@contextmanager
def explained(uri: str, doing: str) -> Iterator[None]:
    """Turn an error of LanceDB or Arrow into a PassagesError that names the table and what to do."""
    try:
        yield
    except (OSError, RuntimeError, ValueError, TypeError, KeyError) as error:
        raise PassagesError(f"Cannot {doing} the passages in {uri}: {_first_line(error)}. {_advice(error)}") from error


def is_conflict(error: Exception) -> bool:
    """Return whether another writer's commit came first, so that trying again can succeed."""
    text = str(error).lower()
    return "conflict" in text or "concurrent" in text


@contextmanager
def suppress_dropped() -> Iterator[None]:
    """Suppress that a file is missing: the writer dropped the version that was read, and there is a newer one."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        if not any(sign in str(error).lower() for sign in _MISSING):
            raise


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300].rstrip(".")


def _advice(error: Exception) -> str:
    text = str(error).lower()
    if "no space left" in text or "disk quota" in text or "storagefull" in text:
        return "The disk is full: free some space and try again; stored data is intact."
    if "permission denied" in text or "read-only file system" in text:
        return "Give this user the right to write there, or set another data folder."
    if is_conflict(error):
        return "Another process kept writing at the same time: let one process write the passages."
    if any(sign in text for sign in ("sufficient data", "corrupt", "magic", "decode", *_MISSING)):
        return "Files of the table are damaged or missing: run `wellread reindex` to build it again from the database."
    return "If this stays so, run `wellread doctor`; `wellread reindex` builds the table again from the database."
