"""Each kind of problem belongs to one class of errors."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import redis

from domain.errors import WellreadError

ROOT = Path(__file__).parents[3]
PACKAGES = ("domain", "text", "pipeline", "crawler", "store", "workers", "wellread", "api")


def test_each_kind_names_one_class_of_errors() -> None:
    """A renamed class, or a second one of its name, would be answered as another kind of problem: worth 4 s."""
    kinds = tomllib.loads((ROOT / "api/middleware/problems.toml").read_text())
    for package in PACKAGES:
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    ours = {error for error in _below(WellreadError) if error.__module__.split(".")[0] in PACKAGES}
    classes = Counter(error.__name__ for error in {redis.RedisError, *ours})
    assert {name: classes[name] for name in kinds} == dict.fromkeys(kinds, 1)


def _below(error: type[Exception]) -> Iterator[type[Exception]]:
    yield error
    for below in error.__subclasses__():
        yield from _below(below)
