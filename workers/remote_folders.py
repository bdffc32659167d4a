"""Folders that are not of this machine, but of a Git repository or an S3 bucket."""

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Final, NamedTuple

from crawler.bucket import Bucket
from crawler.fetch.guard import Blocked, NotPublic
from crawler.repository import Repository
from domain.file import WatchedFolder, clean_folder, clean_path, escape_path
from store import folders
from store.folders import BadFolder
from workers import egress
from workers.services import Services

#: seconds between two looks at one, unless its owner says otherwise
EVERY_S: Final = 300.0
_BUCKET = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/([^#?\\]*))?")
_REF = re.compile(r"(?:(?!.*(?:\.\.|//))\w[\w./+-]{0,200}(?<![./]))?")
_LINK = re.compile(r"(?:https?://[^\s\"<>]*)?")
_REGION = re.compile(r"[a-z0-9-]{0,40}")
_NEITHER: Final = "Name a repository by its http(s) URL, or a bucket as s3://BUCKET/PREFIX, perhaps with a region."
#: by a word in the name of a host, how its web pages of a branch's files are addressed
_PAGES: Final = {"github": "/blob/", "gitlab": "/-/blob/", "bitbucket": "/src/", "codeberg": "/src/branch/"}


def watch(
    services: Services, url: str, *, name: str = "", every_s: float = EVERY_S, link: str = "", ref: str = "",
    path: str = "", region: str = "", endpoint: str = "", access: Mapping[str, str],
) -> WatchedFolder:  # fmt: skip
    """Save a folder elsewhere and have it looked through; one that is known keeps its name, and nothing else.

    ``access`` has user, password and token. Raises BadFolder, BadFileName or FolderExists.
    """
    url = url.strip().rstrip("/")
    if url.startswith("s3://"):
        place = _bucket(url, region, endpoint, is_git=bool(ref or path))
    else:
        place = _repository(url, ref, path, is_bucket=bool(region or endpoint))
    if not _LINK.fullmatch(link):
        raise BadFolder(f"{link[:100]!r} is not an http(s) URL: citations link to it.")
    try:
        egress.guard(services.settings, folders=[place.reached]).check(place.reached)
    except NotPublic as error:
        raise BadFolder(f"{error.problem}. WELLREAD_ALLOW_HOSTS lets hosts of your own through.") from error
    except Blocked as error:
        raise BadFolder(f"{error}.") from error
    folder = services.write(
        folders.add,
        name=clean_folder(name or place.named.rpartition("/")[2]),
        path=place.stored,
        every_s=every_s,
        now=services.now(),
        due_in_s=every_s,
        link=link or place.link,
        access={key: value for key, value in access.items() if value},
    )
    services.dispatcher.send("wellread.look", folder.id, priority=0)  # before the files of others
    return folder


class _Place(NamedTuple):
    """A folder elsewhere."""

    reached: str  #: the URL that is asked
    stored: str
    link: str  #: what citations of its files begin with, where nobody says otherwise
    named: str  #: the end of this is its name, likewise


def _bucket(url: str, region: str, endpoint: str, *, is_git: bool) -> _Place:
    found = _BUCKET.fullmatch(url)
    if not found:
        raise BadFolder(_NEITHER)
    if is_git or not _REGION.fullmatch(region):
        raise BadFolder("A bucket has a region such as eu-west-1, and no branch or path: s3://BUCKET/PREFIX.")
    region = region or "us-east-1"
    reached = endpoint.rstrip("/") or f"https://s3.{region}.amazonaws.com"
    return _Place(reached, f"{url}#{region}:{reached}", f"{escape_path(url)}/", found[2] or found[1])


def _repository(url: str, ref: str, path: str, *, is_bucket: bool) -> _Place:
    if is_bucket or not url.startswith(("http://", "https://")) or set("?#") & set(url):
        raise BadFolder(_NEITHER)
    if not _REF.fullmatch(ref):
        raise BadFolder(f"{ref[:100]!r} is not a branch or tag.")
    path = clean_path(path.strip("/")) if path else ""
    web, host, below = url.removesuffix(".git").rstrip("/"), url.split("/")[2], f"{escape_path(path)}/" if path else ""
    way = next((way for word, way in _PAGES.items() if word in host), "")
    link = f"{web}{way}{ref or 'HEAD'}/{below}" if way else f"git+{url}#{ref}:{below}"
    return _Place(url, f"{url}#{ref}:{path}", link, path or web)


def opened(services: Services, folder: WatchedFolder) -> Repository | Bucket:
    """Return a folder elsewhere, to look through it and read its files; nothing is asked yet."""
    url, _, rest = folder.path.partition("#")
    first, _, second = rest.partition(":")
    settings, access = services.settings, folder.access
    if url.startswith("s3://"):
        bucket, _, prefix = url.removeprefix("s3://").partition("/")
        client = services.folder_client(second, settings.file_max_bytes)
        prefix = f"{prefix}/" if prefix else ""
        return Bucket(client, second, bucket=bucket, prefix=prefix, region=first, secrets=access)
    pair = b64encode(f"{access.get('user', '')}:{access.get('password', '')}".encode()).decode()
    headers = {"authorization": f"Basic {pair}"} if access else {}
    client, most = services.folder_client(url, settings.git_max_bytes), settings.git_max_bytes
    return Repository(client, url, ref=first, path=second, headers=headers, max_bytes=most)
