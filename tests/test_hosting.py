"""Test that hosted CI and the commit hooks run the project's own commands."""

from __future__ import annotations

from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent


def test_hosted_ci_calls_the_projects_script() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]
    assert workflow["permissions"] == {"contents": "read"}


def test_commit_hooks_run_the_locked_tools() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    hooks = [hook for repository in config["repos"] for hook in repository["hooks"]]
    assert {repository["repo"] for repository in config["repos"]} == {"local"}  # nothing is fetched
    assert {hook["entry"].split()[0] for hook in hooks} == {
        f".venv/bin/{tool}" for tool in ("ruff", "lint-imports", "mypy")
    }
    assert {hook["language"] for hook in hooks} == {"system"}
