"""Look through a folder of a Git repository on a server, and fetch its files: of one commit, without any history.

It speaks version 2 of Git's protocol over HTTP, by the guarded client. The directories are fetched first, then the
files that are wanted; only a server that cannot leave files out sends all. Each object is known by the hash of what
came. Links and submodules are not followed, and nothing whose name begins with a dot is seen.
"""

import asyncio
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from crawler.extract.charset import CONTROL
from crawler.fetch.client import Fetcher, refuse_redirect
from crawler.fetch.response import Fetched, TooLarge
from crawler.folder import FileGone, FolderUnreadable, FoundFile
from domain.file import MAX_DEPTH, BadFileName, clean_path

_COMMIT, _TREE, _BLOB, _TAG, _DELTA = 1, 2, 3, 4, 7
_NAMES: Final = {_COMMIT: "commit", _TREE: "tree", _BLOB: "blob", _TAG: "tag"}
_DIRECTORY, _FILES = b"40000", (b"100644", b"100755", b"100664")
#: entries of directories that are looked at: a directory may be in many others, and those in many again
MAX_ENTRIES: Final = 1_000_000
#: bytes that an object takes in addition to its content
_OBJECT: Final = 100
_CHUNK: Final = 16_384
_ID: Final = re.compile("[0-9a-f]{40}")


class BadPack(FolderUnreadable):
    """What a server sent is no pack of Git objects, or is damaged."""

    def __init__(self, message: str = "The server sent a damaged pack.") -> None:
        super().__init__(message)


class Repository:
    """A folder of a repository as a branch or tag has it; ``ref`` "" means the branch that the server names."""

    def __init__(
        self, client: Fetcher, url: str, *, ref: str, path: str, headers: Mapping[str, str], max_bytes: int
    ) -> None:
        self._client, self._url, self._ref, self._path, self._max_bytes = client, url, ref, path, max_bytes
        self._headers = {**headers, "git-protocol": "version=2"}
        self._objects: dict[str, tuple[int, bytes]] = {}

    async def mark(self) -> str:
        """Return the hash of the commit."""
        wanted = [f"refs/heads/{self._ref}", f"refs/tags/{self._ref}"] if self._ref else ["HEAD"]
        found: dict[str, str] = {}
        for line in await self._post("ls-refs", ["peel", *(f"ref-prefix {name}" for name in wanted)]):
            id_, name, *others = [*line.decode("utf-8", "replace").split(), "", ""]
            found[name] = next((each[7:] for each in others if each.startswith("peeled:")), id_)
        commit = next((found[name] for name in wanted if name in found), "")
        if _ID.fullmatch(commit):
            return commit
        if commit:
            raise FolderUnreadable(f"{self._url} names its commits otherwise than by SHA-1, which is not read.")
        raise FolderUnreadable(
            f"{self._url} has no branch or tag {self._ref!r}." if self._ref else f"{self._url} has no commit."
        )

    async def find(self, mark: str, wanted: Callable[[str], bool]) -> Iterator[FoundFile]:
        """Return the files of the folder in a commit."""
        kind = "application/x-git-upload-pack-advertisement"
        url = f"{self._url}/info/refs?service=git-upload-pack"
        told = await self._client.get(url, headers=self._headers, accept={kind}, on_redirect=refuse_redirect)
        fetch = next((line for line in self._lines(told) if line.startswith(b"fetch=")), b"")
        only_directories = ["filter blob:none"] if b"filter" in fetch[6:].split() else []
        await self._fetch([mark], ["deepen 1", *only_directories])
        tree = self._object(mark, _COMMIT)[5:45].decode("ascii", "replace")
        for part in filter(None, self._path.split("/")):
            inner = {name: id_ for mode, name, id_ in self._entries(tree) if mode == _DIRECTORY}
            if part not in inner:
                raise FolderUnreadable(f"{self._url} has no folder {self._path!r}.")
            tree = inner[part]
        return self._below(tree, "", wanted, MAX_DEPTH, iter(range(MAX_ENTRIES)))

    async def contents(self, files: Sequence[FoundFile]) -> dict[str, bytes]:
        """Return what is in files, by their paths; those are left out that are too large."""
        missing = {file.object_id for file in files} - self._objects.keys()
        try:
            if missing:
                await self._fetch(missing, [])
        except TooLarge:
            half = len(files) // 2
            return await self.contents(files[:half]) | await self.contents(files[half:]) if half else {}
        found = {file.path: self._object(file.object_id, _BLOB) for file in files}
        for id_ in missing:
            self._objects.pop(id_, None)
        return found

    async def read(self, path: str) -> bytes:
        """Return what is in a file of the newest commit."""
        found = await self.find(await self.mark(), lambda name: name == path.rpartition("/")[2])
        files = [file for file in found if file.path == path]
        if not files:
            raise FileGone(f"{path} is no longer in its folder.")
        if not (contents := await self.contents(files)):
            raise TooLarge(f"{path} has more than {self._max_bytes:,} bytes")
        return contents[path]

    def _below(
        self, tree: str, above: str, wanted: Callable[[str], bool], depth: int, budget: Iterator[int]
    ) -> Iterator[FoundFile]:
        for mode, name, id_ in self._entries(tree):
            if next(budget, None) is None:
                raise FolderUnreadable(f"{self._url} has more than {MAX_ENTRIES:,} files: name a folder of it.")
            path = f"{above}{name}"
            if mode == _DIRECTORY and depth > 1 and not name.startswith("."):
                yield from self._below(id_, f"{path}/", wanted, depth - 1, budget)
            elif mode in _FILES and not name.startswith(".") and wanted(name):
                try:
                    yield FoundFile(path=path, clean=clean_path(path), changed_ns=int(id_[:15], 16), object_id=id_)
                except BadFileName:
                    continue

    def _entries(self, tree: str) -> Iterator[tuple[bytes, str, str]]:
        """Yield mode, name and hash of what is in a directory."""
        rest, at = self._object(tree, _TREE), 0
        while (end := rest.find(b"\0", at)) > 0:
            mode, _, name = rest[at:end].partition(b" ")
            at = end + 21
            if at > len(rest):
                raise BadPack
            yield mode, name.decode("utf-8", "replace"), rest[end + 1 : at].hex()

    def _object(self, id_: str, kind: int) -> bytes:
        found, content = self._objects.get(id_, (0, b""))
        if found != kind:
            raise FolderUnreadable(f"{self._url} did not send the {_NAMES[kind]} {id_[:40]}: it is tried again.")
        return content

    async def _fetch(self, ids: Iterable[str], options: Sequence[str]) -> None:
        wants = [f"want {id_}" for id_ in ids]
        lines = await self._post("fetch", ["no-progress", *wants, *options, "done"])
        pack = b"".join(line[1:] for line in lines if line[:1] == b"\x01")
        self._objects |= await asyncio.to_thread(unpack, pack, self._max_bytes)

    async def _post(self, command: str, arguments: Iterable[str]) -> list[bytes]:
        body = f"{_line(f'command={command}')}0001{''.join(map(_line, arguments))}0000".encode()
        headers = {**self._headers, "content-type": "application/x-git-upload-pack-request"}
        accept = {"application/x-git-upload-pack-result"}
        url = f"{self._url}/git-upload-pack"
        return self._lines(await self._client.post(url, body=body, headers=headers, accept=accept))

    def _lines(self, answer: Fetched) -> list[bytes]:
        """Return the lines of an answer; a pack is in those that begin with 1."""
        if answer.status != 200:
            told = {401: "a login is needed, or it is wrong", 403: "it may not be read", 404: "no such repository"}
            other = "it is at another address now" if 300 <= answer.status < 400 else "try it later"
            raise FolderUnreadable(f"{self._url} answered {answer.status}: {told.get(answer.status, other)}.")
        lines, at, body = [], 0, answer.body
        while at < len(body):
            try:
                length = int(body[at : at + 4], 16)
            except ValueError:
                raise FolderUnreadable(f"{self._url} does not speak version 2 of Git's protocol.") from None
            line = body[at + 4 : at + length]
            if line.startswith((b"ERR ", b"\x03")):
                why = line.removeprefix(b"ERR ").lstrip(b"\x03").decode("utf-8", "replace")
                raise FolderUnreadable(f"{self._url} refused: {CONTROL.sub(' ', why).strip()[:200]}.")
            lines += [line.rstrip(b"\n") if line[:1] != b"\x01" else line] if line else []
            at += max(length, 4)
        return lines


def _line(text: str) -> str:
    return f"{len(text.encode()) + 5:04x}{text}\n"


def unpack(pack: bytes, max_bytes: int) -> dict[str, tuple[int, bytes]]:
    """Return kind and content of the objects in a pack, by their hashes. Raises BadPack, or TooLarge for their sum."""
    try:
        return _objects_of(pack, max_bytes)
    except (IndexError, zlib.error) as error:
        raise BadPack from error


def _objects_of(pack: bytes, max_bytes: int) -> dict[str, tuple[int, bytes]]:
    if pack[:8] != b"PACK\0\0\0\2":
        raise BadPack("The server sent no pack of Git's version 2.")
    at, budget = 12, max_bytes
    objects: dict[str, tuple[int, bytes]] = {}
    deltas: dict[str, list[bytes]] = {}
    for _ in range(int.from_bytes(pack[8:12])):
        kind = pack[at] >> 4 & 7
        size, at = _number(pack, at, 4)
        base, at = (pack[at : at + 20].hex(), at + 20) if kind == _DELTA else ("", at)
        budget = _spend(budget, size)
        content, at = _inflate(pack, at, size)
        if base:
            deltas.setdefault(base, []).append(content)
        elif kind in _NAMES:
            objects[_hash(kind, content)] = kind, content
        else:
            raise BadPack("The server sent a pack with objects that were not asked for.")
    ready = [id_ for id_ in objects if id_ in deltas]
    while ready:
        base = ready.pop()
        kind, content = objects[base]
        for delta in deltas.pop(base, ()):
            made, budget = _patched(content, delta, budget)
            objects[id_ := _hash(kind, made)] = kind, made
            ready += [id_] if id_ in deltas else []
    return objects


def _hash(kind: int, content: bytes) -> str:
    return hashlib.sha1(b"%s %d\0" % (_NAMES[kind].encode(), len(content)) + content, usedforsecurity=False).hexdigest()


def _spend(budget: int, size: int) -> int:
    if size + _OBJECT > budget:
        raise TooLarge("The repository has more bytes than WELLREAD_GIT_MAX_BYTES allows: name a folder of it")
    return budget - size - _OBJECT


def _number(data: bytes, at: int, bits: int) -> tuple[int, int]:
    """Return a number of 7 bits a byte, of which the first has so many, and where it ends."""
    value, shift = data[at] & ((1 << bits) - 1), bits
    while data[at] & 0x80:
        if shift > 63:
            raise BadPack
        at += 1
        value |= (data[at] & 0x7F) << shift
        shift += 7
    return value, at + 1


def _inflate(pack: bytes, at: int, size: int) -> tuple[bytes, int]:
    stream, parts, left = zlib.decompressobj(), [], size
    while not stream.eof:
        chunk = pack[at : at + _CHUNK]
        parts.append(stream.decompress(chunk, left + 1))
        left -= len(parts[-1])
        at += len(chunk) - len(stream.unused_data) - len(stream.unconsumed_tail)
        if left < 0 or not chunk:
            raise BadPack
    if left:
        raise BadPack
    return b"".join(parts), at


def _patched(base: bytes, delta: bytes, budget: int) -> tuple[bytes, int]:
    """Return what a delta makes of its base, and what is left of the budget."""
    length, at = _number(delta, 0, 7)
    size, at = _number(delta, at, 7)
    budget, parts, made = _spend(budget, size), [], 0
    while at < len(delta):
        code, at = delta[at], at + 1
        if code & 0x80:  # copy from the base: offset and length, of which only the bytes that are not 0 are there
            numbers = [0] * 7
            for bit in range(7):
                if code & 1 << bit:
                    numbers[bit], at = delta[at], at + 1
            offset, many = int.from_bytes(numbers[:4], "little"), int.from_bytes(numbers[4:], "little") or 0x10000
            parts.append(base[offset : offset + many])
        else:
            parts.append(delta[at : at + code])
            at += code
        made += len(parts[-1])
        if made > size or not parts[-1]:
            break
    if made != size or length != len(base):
        raise BadPack
    return b"".join(parts), budget
