"""The default collection and one more, on each database in turn."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from store.sql.database import Database
from tests.workers.collections.two import Calls
from workers.services import Services
from workers.services import collections as kept
from workers.settings import load


@pytest.fixture
def main(valkey_url: str, database: Database, tmp_path: Path) -> Iterator[Services]:
    """The default collection."""
    redis.Redis.from_url(valkey_url).flushall()
    settings = load(redis_url=valkey_url, wikipedia=False, database_url=database.url, search_memory_mb=64)
    settings.data_dir.mkdir(parents=True)
    services = Services(settings)
    services.__dict__["dispatcher"] = Calls()
    yield services
    for each in list(kept.every(services))[1:]:
        kept.delete(services, each.collection.name)
    services.close()
    shutil.rmtree(settings.data_dir, ignore_errors=True)


@pytest.fixture
def other(main: Services) -> Services:
    """Another collection."""
    kept.add(main, "other")
    return main.of("other")
