"""Keeps what is stored from other users of the machine."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def keep_private(folder: Path) -> None:
    """Have only this user enter the data folder, and only it read what this process and its children write.

    The folder stays as it is where it belongs to another user, who has then chosen its rights. Raises OSError.
    """
    os.umask(0o077)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(PermissionError):
        folder.chmod(0o700)
