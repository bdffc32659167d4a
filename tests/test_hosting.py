"""Test that hosted CI and the commit hooks run the project's own commands."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("ci", {"check": [".ci/run"], "pythons": ["make integration PYTHON=python"]}),
        ("nightly", {"nightly": ["make --keep-going nightly"]}),
    ],
)
def test_hosted_workflow_calls_the_projects_own_commands(name: str, commands: dict[str, list[str]]) -> None:
    workflow = yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text("utf-8"))
    runs = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in workflow["jobs"].items()}
    assert runs == commands
    assert workflow["permissions"] == {"contents": "read"}


def test_every_test_runs_on_each_change_or_each_night() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    chosen = re.findall(r"\$\(PYTEST\) -m (\"[^\"]+\"|\w+)", makefile)
    part, *all_of_them = chosen  # the part is for `make check`
    assert part == '"not integration and not live and not nightly"'
    assert all_of_them == ['"not live and not nightly"', '"live and not nightly"', "nightly"]


def test_pythons_that_are_named_are_tested() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))["jobs"]
    (first,) = [step["with"]["python-version"] for step in jobs["check"]["steps"] if "with" in step]
    tested = {first, *jobs["pythons"]["strategy"]["matrix"]["python"]}
    for place in ("pyproject.toml", "clients/python/pyproject.toml"):
        classifiers = tomllib.loads((ROOT / place).read_text())["project"]["classifiers"]
        named = {
            name.rpartition(" ")[2] for name in classifiers if name.startswith("Programming Language :: Python :: ")
        }
        assert first in named
        assert named <= tested


def test_readme_names_every_licence_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    said = (ROOT / "README.md").read_text("utf-8").rpartition("## Licence")[2]
    assert [name for name in project["license"].split(" AND ") if name not in said] == []


def test_commit_hooks_run_the_locked_tools() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    hooks = [hook for repository in config["repos"] for hook in repository["hooks"]]
    assert {repository["repo"] for repository in config["repos"]} == {"local"}  # nothing is fetched
    assert {hook["entry"].split()[0] for hook in hooks} == {
        f".venv/bin/{tool}" for tool in ("ruff", "lint-imports", "mypy")
    }
    assert {hook["language"] for hook in hooks} == {"system"}
