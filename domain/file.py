"""The operator's own files: how each is addressed, and what is known of it.

An address is ``files://FOLDER/path/in/it``: it is stable, says which file is meant, and not where it is on a disk.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from urllib.parse import unquote

from domain.errors import WellreadError
from domain.published import Received, always_sent, described

SCHEME: Final = "files://"
#: the folder of files that were uploaded
UPLOADS: Final = "uploads"
#: the folder of documents that came with a question; no file is there, so that they are never read again
ATTACHED: Final = "attached"
#: the outcome of a file that was read, but not all of it
READ_IN_PART: Final = "read in part"
#: the folder of documents that programs pushed without a URL
PUSHED: Final = "pushed"
MAX_NAME, MAX_PATH, MAX_DEPTH = 200, 1_000, 30

_ESCAPED = re.compile(r'[\x00-\x20"#%<>?\\^`{|}\x7f]')
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_NOT_IN_FOLDER = re.compile(r"[^\w.-]+")


class BadFileName(WellreadError):
    """The name of a file cannot be used; the message says why."""


@always_sent()
class StoredFile(Received):
    """A file that was added, and what came of reading it."""

    id: int
    address: str = described("files://FOLDER/path: the URL of its page, as citations name it.")
    bytes: int
    outcome: str | None = described(
        "null while it waits to be read; `read in part` if something is missing; else as of a page."
    )
    reason: str | None = described("Why it could not be read.")
    page_id: int | None = described("GET /api/pages/{page_id} gives its text.")
    title: str | None
    in_knowledge_base: bool = described("Whether answers can be drawn from it.")
    missing: tuple[str, ...] = described("What of it could not be read, such as `2 charts`.", default=())
    added_at: datetime
    read_at: datetime | None = described("When it was last read.")

    @property
    def is_over(self) -> bool:
        """Return whether nothing more happens: it could not be read, or answers can be drawn from it."""
        return self.outcome is not None and (self.page_id is None or self.in_knowledge_base)


@dataclass(frozen=True, kw_only=True)
class WatchedFolder:
    """A folder whose files are read, and read again when they change: of this machine, or elsewhere."""

    id: int
    name: str
    path: str  #: of this machine, which the API never sends; or of a repository or bucket, as `url`
    every_s: float
    next_due: datetime
    problem: str | None = None  #: why it could not be looked through the last time
    #: what distinguished it from another folder at its path then, or the commit; "": whatever is there is it
    seen_as: str = ""
    checked_at: datetime | None = None
    link: str = ""  #: what citations of its files begin with, if not with their addresses
    access: Mapping[str, str] = field(default_factory=dict, repr=False)  #: user, password and token; secret

    @property
    def url(self) -> str | None:
        """Where it is elsewhere: ``https://…/repository#REF:PATH``, ``s3://BUCKET/PREFIX#REGION:ENDPOINT``."""
        return self.path if self.path.startswith(("https://", "http://", "s3://")) else None

    @property
    def server(self) -> str | None:
        """The URL that is asked for one elsewhere."""
        url, _, rest = (self.url or "").partition("#")
        return (rest.partition(":")[2] if url.startswith("s3://") else url) or None


@always_sent()
class FolderState(Received):
    """A watched folder as its users see it: not where it is on this machine."""

    name: str = described("Files in it have addresses below files://NAME/.")
    every_s: float = described("Seconds between two looks at it.")
    next_due: datetime
    problem: str | None = described("Why it could not be looked through, and what to do.")
    checked_at: datetime | None = described("When it was last looked through.")
    url: str | None = described(
        "The repository with #REF:PATH, or the bucket with #REGION:ENDPOINT; null for a disk's."
    )


def is_file_address(url: str) -> bool:
    """Return whether a URL is that of a file."""
    return url.startswith(SCHEME)


def address_of(folder: str, path: str) -> str:
    """Return the address of the file at a path that :func:`clean_path` returned."""
    return f"{SCHEME}{folder}/{escape_path(path)}"


def folder_of(address: str) -> str:
    """Return the name of an address's folder."""
    return address.removeprefix(SCHEME).partition("/")[0]


def path_of(address: str) -> str:
    """Return the path in its folder."""
    return unquote(address.removeprefix(SCHEME).partition("/")[2])


def name_of(address: str) -> str:
    """Return the file's own name."""
    return path_of(address).rpartition("/")[2]


def clean_path(path: str) -> str:
    """Return a file's path in its folder in the one form in which it is stored; raises BadFileName."""
    shown = repr(path[:100])
    if _FORBIDDEN.search(path):
        raise BadFileName(f"{shown} has characters that cannot be seen: give the file another name.")
    normal = unicodedata.normalize("NFC", path)
    parts = normal.split("/")
    if any(part in ("", ".", "..") or part != part.strip() for part in parts) or "\\" in normal:
        raise BadFileName(f"{shown} is not a valid file name: use one such as rules.pdf or travel/rules.pdf.")
    if len(parts) > MAX_DEPTH or any(len(part) > MAX_NAME for part in parts):
        raise BadFileName(f"{shown} is too long: a name has at most {MAX_NAME} characters, a path {MAX_DEPTH} parts.")
    if len(escape_path(normal).encode()) > MAX_PATH:
        raise BadFileName(f"{shown} is too long: a path has at most {MAX_PATH:,} bytes as addresses write it.")
    return normal


def escape_path(path: str) -> str:
    """Return a path as addresses write it."""
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", path)


def clean_folder(name: str) -> str:
    """Return a folder's name as addresses have it; raises BadFileName."""
    clean = _NOT_IN_FOLDER.sub("-", unicodedata.normalize("NFC", name)).strip("-.").lower()[:60]
    if not clean:
        raise BadFileName(f"{name[:100]!r} is not a valid folder name: use letters and digits, with --name.")
    return clean
