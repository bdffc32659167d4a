"""Other users of the machine read nothing of what is stored."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("is_there", [False, True])
def test_the_data_folder_and_its_files_are_this_users_alone(tmp_path: Path, is_there: bool) -> None:
    folder = tmp_path / "data"
    if is_there:
        folder.mkdir(mode=0o755)
    subprocess.run(
        [sys.executable, "-m", "api", "migrate"],
        env={**os.environ, "WELLREAD_DATA_DIR": str(folder)},
        check=True,
        umask=0o022,
    )
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes["wellread.db"] == 0o600
    assert not any(mode & 0o077 for mode in modes.values())
