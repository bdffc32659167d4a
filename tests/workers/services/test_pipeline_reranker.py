"""A reranker whose package is not installed says which; the usual one needs none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_WITHOUT = """
import sys
sys.path = [each for each in sys.path if "site-packages" not in each] + [{others!r}]
from workers.services.pipeline import open_reranker
from workers.settings import load
try:
    print(open_reranker(load(reranker={name!r})))
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hybrid", "RerankerNotInstalled The reranker 'hybrid' needs scikit-learn: pip install"),
        ("learned", "None"),
    ],
)
def test_the_rerankers_by_tfidf_need_scikit_learn(
    name: str, said: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    others = tmp_path_factory.mktemp("packages")
    for folder in (each for each in sys.path if "site-packages" in each):
        for package in Path(folder).iterdir():
            if package.name not in ("sklearn", "scipy") and not (others / package.name).exists():
                (others / package.name).symlink_to(package)
    code = _WITHOUT.format(others=str(others), name=name)
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.startswith(said)
