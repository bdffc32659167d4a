"""The folders are as the design says, and no file tells of the machine it was written on."""

from __future__ import annotations

import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("domain", "text", "pipeline", "crawler", "store", "workers", "wellread", "api")
CHECKOUT = ("evals", "benchmarks", "training", "tests")

#: written so that this file does not contain what it looks for
MACHINE = re.compile(
    "|".join(
        [
            r"(?<![\w.:/])/(?:" + "work" + r"|" + "root" + r"|" + "Users" + r"|home/(?!username/)[a-z]+)/",
            "files" + r"\.pythonhosted\.org",
            r"(?:^|[^\w-])--?(?:extra-)?" + "index-url" + r"[= ]+\S+://",
            "registry" + r"\." + r"(?:npmjs|yarnpkg)\.",
        ]
    ),
    re.MULTILINE,
)


@cache
def tracked() -> list[Path]:
    """The files of the project: what git tracks, or in an unpacked archive whatever is there."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = [name for name in listed.stdout.split("\0") if name]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def test_rooms_are_where_the_design_puts_them() -> None:
    here = {path.name for path in ROOT.iterdir() if path.is_dir() and (path / "__init__.py").is_file()}
    assert here == {*PACKAGES, *CHECKOUT}


@pytest.mark.parametrize(
    "name",
    [
        "pyproject.toml",
        "Makefile",
        "docker-compose.yml",
        "Dockerfile",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "LICENSE",
        ".ci/run",
    ],
)
def test_file_stands_at_the_top(name: str) -> None:
    assert (ROOT / name).is_file()


def test_wheel_holds_the_product() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == set(PACKAGES)


def test_every_folder_of_tests_is_a_package() -> None:
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


def test_every_folder_of_code_is_a_package() -> None:
    modules = [path for package in (*PACKAGES, *CHECKOUT) for path in (ROOT / package).rglob("*.py")]
    folders = {path.parent for path in modules if "migrations" not in path.parts}  # Alembic loads those by their path
    assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


def test_ci_script_can_be_run() -> None:
    assert (ROOT / ".ci/run").stat().st_mode & 0o100


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = []
    for path in tracked():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in MACHINE.finditer(text)]
    assert found == []


def test_the_search_for_machine_paths_finds_them() -> None:
    for sample in ("see /" + "work/main/x", "open('/" + "root/.cache')", "https://files.python" + "hosted.org/x"):
        assert MACHINE.search(sample)
    for sample in ("https://example.com/" + "work/of/art", "folder/" + "root/x", "../" + "work/x"):
        assert not MACHINE.search(sample)
