"""Gathers the client's wheel: the package ``wellread``, with the modules of ``domain`` that it imports inside it."""

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parents[2]
#: where the wheel has domain, so that no top-level package of this general name is installed
DOMAIN = "wellread._domain"

_IMPORT = re.compile(r"^(\s*from )domain\.([\w.]+)(?= import )", re.MULTILINE)


class ClientWheel(BuildHookInterface[Any]):
    """Ships a copy of the sources with their imports of ``domain`` rewritten."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the package into a temporary folder and have that shipped."""
        self._folder = Path(tempfile.mkdtemp())
        write_package(self._folder)
        build_data["force_include"][str(self._folder)] = "wellread"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        shutil.rmtree(self._folder)


def write_package(folder: Path) -> None:
    """Write the package as it is installed."""
    sources = {path.name: path.read_text("utf-8") for path in (ROOT / "wellread").glob("*.py")}
    (folder / "py.typed").touch()
    (folder / "_domain").mkdir()
    (folder / "_domain" / "__init__.py").write_text('"""The plain values that the client gives."""\n', "utf-8")
    for name, source in sources.items():
        (folder / name).write_text(_rewritten(source), "utf-8")
    for name in _imported(*sources.values()):
        module = folder / "_domain" / _path(name)
        if not module.parent.exists():
            module.parent.mkdir()
            (module.parent / "__init__.py").touch()
        module.write_text(_rewritten(_domain_source(name)), "utf-8")


def _imported(*sources: str) -> set[str]:
    """Return the modules of ``domain`` that the sources import, directly or through one another."""
    names, waiting = set(), list(sources)
    while waiting:
        new = {match[2] for match in _IMPORT.finditer(waiting.pop())} - names
        names |= new
        waiting += map(_domain_source, new)
    return names


def _domain_source(name: str) -> str:
    return (ROOT / "domain" / _path(name)).read_text("utf-8")


def _path(name: str) -> str:
    return f"{name.replace('.', '/')}.py"


def _rewritten(source: str) -> str:
    if names := re.findall(r"^\s*(?:from domain import|import domain).*", source, re.MULTILINE):
        raise ValueError(f"The client names the module it imports a value from, not domain as a whole: {names}")
    return _IMPORT.sub(rf"\1{DOMAIN}.\2", source).replace(":mod:`domain`", f":mod:`{DOMAIN}`")
