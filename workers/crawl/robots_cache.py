"""Caches robots.txt files in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.robots.permission import RobotsFile
from store.crawl import sources

if TYPE_CHECKING:
    from store.sql.database import Database


class StoredRobots:
    """The robots.txt files in SQL, by origin."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, origin: str) -> RobotsFile | None:
        """Return the stored file, if there is one."""
        with self._database.read() as session:
            record = sources.robots(session, origin)
        if record is None:
            return None
        return RobotsFile(status=record.status, body=record.body, fetched_at=record.fetched_at)

    def put(self, origin: str, file: RobotsFile) -> None:
        """Save a file."""
        record = sources.RobotsRecord(status=file.status, body=file.body, fetched_at=file.fetched_at)
        with self._database.write() as session:
            sources.save_robots(session, origin, record)
