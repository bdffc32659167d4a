"""The version of the package that runs."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """The installed version; a tree that runs without being installed has none."""
    try:
        return version("wellread")
    except PackageNotFoundError:
        return "0 (not installed)"
