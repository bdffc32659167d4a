"""A collection's settings and watched folders as lines of the file."""

from __future__ import annotations

from pydantic import Field

from store.knowledge.lines import FileLine, Text, Url


class SettingsLine(FileLine):
    """What is set for the collection itself."""

    name: str = Field(max_length=80)
    exclude_sites: tuple[Url, ...] = Field(default=(), max_length=1_000)


class FolderLine(FileLine):
    """A folder whose files are read; where it lies on the machine that wrote the file."""

    name: str = Field(max_length=80)
    path: Text
    every_s: float = Field(gt=0, le=366 * 86_400)
    left_out: tuple[Url, ...] = Field(default=(), max_length=100_000)  #: addresses of files that are not read again
