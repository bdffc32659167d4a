"""Install the Debian packages that hold a set's pages."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Collection

from evals.asked.questions import PagesMissing, Site

_ENVIRONMENT = {"DEBIAN_FRONTEND": "noninteractive"}


def install_packages(sites: Collection[Site]) -> None:
    """Install what is missing, as root on Debian; raise PagesMissing with the command to run where that fails."""
    missing = missing_packages(sites)
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        _apt_get("update") and _apt_get("install", "--yes", "--no-install-recommends", *missing)
    if absent := [site for site in sites if not site.root.is_dir()]:
        packages = " ".join(sorted({site.package for site in absent if site.package}))
        roots = ", ".join(str(site.root) for site in absent)
        raise PagesMissing(f"There are no pages in {roots}. On Debian: apt-get install {packages}")


def missing_packages(sites: Collection[Site]) -> list[str]:
    """Return the packages of sites whose folder is not there."""
    return sorted({site.package for site in sites if site.package and not site.root.is_dir()})


def _apt_get(*arguments: str) -> bool:
    command = ["apt-get", "-qq", *arguments]
    environment = {**os.environ, **_ENVIRONMENT}
    return subprocess.run(command, env=environment, stdout=subprocess.DEVNULL).returncode == 0  # noqa: S603 - ours
