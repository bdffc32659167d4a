"""List the objects below a prefix of an S3 bucket, and read them, by the guarded client.

Requests are signed by AWS's Signature Version 4 if there is a key, else they are anonymous.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote, unquote_plus, urlsplit

from lxml import etree

from crawler.fetch.client import Fetcher, refuse_redirect
from crawler.fetch.response import ANY_TYPE, Fetched
from crawler.folder import MAX_FILES, FileGone, FolderUnreadable, FoundFile
from domain.file import BadFileName, clean_path

#: of 1,000 objects each
MAX_LISTS: Final = 1_000
_EMPTY: Final = hashlib.sha256(b"").hexdigest()


class Bucket:
    """The objects of a bucket whose keys begin with a prefix; ``secrets`` are user, password and perhaps token."""

    def __init__(
        self, client: Fetcher, endpoint: str, *, bucket: str, prefix: str, region: str, secrets: Mapping[str, str]
    ) -> None:
        self._client, self._url, self._prefix = client, f"{endpoint}/{quote(bucket)}", prefix
        self._region, self._secrets = region, secrets

    async def mark(self) -> str:
        """Return "": only its list says what changed."""
        return ""

    async def find(self, mark: str, wanted: Callable[[str], bool]) -> Iterator[FoundFile]:
        """Return the objects, as files below the prefix."""
        found: list[FoundFile] = []
        query = {"encoding-type": "url", "list-type": "2", "prefix": self._prefix}
        for _ in range(MAX_LISTS):
            answer = await self._get("/", query)
            if answer.status != 200:
                raise FolderUnreadable(f"{self._url} answered {answer.status}{_reason(answer)}")
            listed = _xml(answer)
            found += (file for each in listed.iter("{*}Contents") if (file := self._file(each, wanted)))
            further = listed.findtext("{*}NextContinuationToken")
            if not further or len(found) > MAX_FILES:
                return iter(found)
            query |= {"continuation-token": further}
        raise FolderUnreadable(f"{self._url} has no end after {MAX_LISTS:,} lists of objects: name a longer prefix.")

    async def contents(self, files: Sequence[FoundFile]) -> dict[str, bytes]:
        """Return nothing: each object is read when its turn comes."""
        return {}

    async def read(self, path: str) -> bytes:
        """Return what an object has in it now."""
        answer = await self._get(f"/{quote(self._prefix + path, safe='/~')}", {})
        if answer.status == 404:
            raise FileGone(f"{path} is no longer in its bucket.")
        if answer.status != 200:
            raise FolderUnreadable(f"{path} cannot be read from {self._url}: {answer.status}, {_reason(answer)}")
        return answer.body

    def _file(self, listed: etree._Element, wanted: Callable[[str], bool]) -> FoundFile | None:
        path = unquote_plus(listed.findtext("{*}Key") or "").removeprefix(self._prefix)
        if any(part.startswith(".") for part in path.split("/")) or not wanted(path.rpartition("/")[2]):
            return None
        try:
            clean = clean_path(path)
        except BadFileName:
            return None
        size, changed = (listed.findtext(f"{{*}}{name}") or "" for name in ("Size", "ETag"))
        changed = changed or listed.findtext("{*}LastModified") or ""
        digest = int.from_bytes(hashlib.blake2b(changed.encode(), digest_size=7).digest())
        known = int(size) if size.isdecimal() and len(size) < 16 else None
        return FoundFile(path=path, clean=clean, bytes=known, changed_ns=digest)

    async def _get(self, path: str, query: Mapping[str, str]) -> Fetched:
        asked = "&".join(f"{quote(name, safe='~')}={quote(value, safe='~')}" for name, value in sorted(query.items()))
        url = f"{self._url}{path}" + (f"?{asked}" if asked else "")
        headers = signed(url, region=self._region, secrets=self._secrets, now=datetime.now(UTC))
        return await self._client.get(url, headers=headers, accept=ANY_TYPE, on_redirect=refuse_redirect)


def signed(url: str, *, region: str, secrets: Mapping[str, str], now: datetime) -> dict[str, str]:
    """Return the headers that sign a GET; none without a key.

    See https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
    """
    if not secrets.get("user"):
        return {}
    parts, moment = urlsplit(url), now.strftime("%Y%m%dT%H%M%SZ")
    headers = {"x-amz-content-sha256": _EMPTY, "x-amz-date": moment}
    headers |= {"x-amz-security-token": secrets["token"]} if secrets.get("token") else {}
    named = {"host": parts.netloc} | headers
    request = ["GET", parts.path, parts.query, *(f"{name}:{value}" for name, value in named.items()), ""]
    request += [names := ";".join(named), _EMPTY]
    scope = f"{moment[:8]}/{region}/s3/aws4_request"
    digest = hashlib.sha256("\n".join(request).encode()).hexdigest()
    key = f"AWS4{secrets.get('password', '')}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{digest}".encode(), "sha256").hex()
    credential = f"Credential={secrets['user']}/{scope}"
    return headers | {"authorization": f"AWS4-HMAC-SHA256 {credential}, SignedHeaders={names}, Signature={signature}"}


def _xml(answer: Fetched) -> etree._Element:
    try:
        return etree.fromstring(answer.body, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        raise FolderUnreadable(f"{urlsplit(answer.url).netloc} does not answer as S3 does.") from None


def _reason(answer: Fetched) -> str:
    """Return the code and the message of an error after a colon, if it has any."""
    try:
        error = _xml(answer)
    except FolderUnreadable:
        return ""
    return ": ".join(filter(None, ("", error.findtext("{*}Code"), error.findtext("{*}Message"))))[:300]
