"""Folders of a Git repository and an S3 bucket: what changes there is read, what goes leaves, and each is cited."""

from __future__ import annotations

import shutil
import zlib
from datetime import UTC, datetime
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from crawler.bucket import Bucket, signed
from crawler.fetch.response import TooLarge
from crawler.folder import FolderUnreadable
from crawler.repository import BadPack, unpack
from domain.file import FolderState, StoredFile
from store import folders
from store.folders import BadFolder
from store.sql.rows import to_value
from tests.servers import running
from tests.workers.conftest import Outbox
from tests.workers.files.remote_servers import KEY, GitRepository, git_server, s3_server
from tests.workers.files.test_folders import text_of, work
from workers import files as watched
from workers import remote_folders
from workers.deletion import delete_folder
from workers.services import Services

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
LAMP = "# Lamp\n\nIt is lit by Anna Berg every evening, before the first boat comes in."
CRANE = "# Crane\n\nThe crane on the pier was sold in 1950 to a yard in Lübeck."


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    made = GitRepository(tmp_path / "harbour")
    made.commit(docs__lamp_md=LAMP, docs__old__crane_md=CRANE, README_md="# Code\n\nNothing to read for anyone.")
    (made.folder / "docs" / "link.md").symlink_to("/etc/passwd")
    (made.folder / "docs" / ".hidden.md").write_text("A secret that nobody shall read in an answer.")
    (made.folder / "docs" / "big.md").write_text("word " * 1000)
    made.commit()
    return made


def allow(services: Services, origin: str, **settings: object) -> None:
    changed = {"allow_hosts": (origin.removeprefix("http://"),), **settings}
    services.settings = services.settings.model_copy(update=changed)


def look(services: Services, outbox: Outbox) -> list[StoredFile]:
    """Do what the tasks do that were sent, and return the files."""
    for task, row_id in list(outbox.messages):
        if task == "wellread.look":
            outbox.messages.remove((task, row_id))
            watched.look_through_one(services, int(row_id))
    return work(services, outbox)


def look_again(services: Services, outbox: Outbox) -> list[StoredFile]:
    for folder in services.read(folders.list_all):
        outbox.messages.append(("wellread.look", folder.id))
    return look(services, outbox)


def problem_of(services: Services) -> str | None:
    return services.read(folders.list_all)[0].problem


@pytest.mark.parametrize("filters", [True, False])
def test_repository_is_read_by_its_commits(
    services: Services, outbox: Outbox, repository: GitRepository, filters: bool
) -> None:
    repository.run("config", "uploadpack.allowFilter", str(filters).lower())
    with git_server(repository.folder.parent) as (origin, asked):
        allow(services, origin, file_max_bytes=1_000)
        url = f"{origin}/harbour/.git"
        remote_folders.watch(services, url, name="Harbour", path="docs", ref="main", access={})
        found = look(services, outbox)
        assert {file.address: file.outcome for file in found} == {
            "files://harbour/big.md": "empty",
            "files://harbour/lamp.md": "read",
            "files://harbour/old/crane.md": "read",
        }
        assert "WELLREAD_FILE_MAX_BYTES" in str(found[0].reason)
        asked.clear()
        look_again(services, outbox)
        assert asked == ["command=ls-refs"]  # an unchanged branch costs one request
        repository.commit(docs__lamp_md=LAMP.replace("Anna Berg", "Ines Duarte"), docs__old__crane_md=None)
        assert [file.address for file in look_again(services, outbox)] == [
            "files://harbour/big.md",
            "files://harbour/lamp.md",
        ]
        assert "Ines Duarte" in str(text_of(services, "files://harbour/lamp.md"))
        assert text_of(services, "files://harbour/old/crane.md") is None
        with services.database.read() as session:
            links = folders.links(session, ["files://harbour/lamp.md", "files://uploads/x.md", "https://e.org"])
        assert links == {"files://harbour/": f"git+{url}#main:docs/"}  # as answers cite it
        delete_folder(services, "harbour")
        assert work(services, outbox) == []


def test_repository_that_is_away_or_refuses_keeps_its_files_and_says_why(
    services: Services, outbox: Outbox, repository: GitRepository
) -> None:
    access = {"user": "reader", "password": "s3cret"}
    with git_server(repository.folder.parent, "Basic cmVhZGVyOnMzY3JldA==") as (origin, _):
        allow(services, origin)
        url = f"{origin}/harbour/.git"
        remote_folders.watch(services, url, name="harbour", access={})
        look(services, outbox)
        assert "401: a login is needed" in str(problem_of(services))
        folder = remote_folders.watch(services, url, name="harbour", access=access)
        assert len(look(services, outbox)) == 4
        assert problem_of(services) is None
        assert "s3cret" not in repr(folder) + str(to_value(FolderState, folder))
        remote_folders.watch(services, url, name="other", ref="gone", access=access)
        look(services, outbox)
        assert any("no branch or tag 'gone'" in str(each.problem) for each in services.read(folders.list_all))
    assert len(look_again(services, outbox)) == 4
    assert "is looked at again" in str(problem_of(services))


def test_bucket_is_read_by_its_etags(services: Services, outbox: Outbox) -> None:
    objects = {
        "docs/lamp é +.md": LAMP.encode(),
        "docs/old/crane.md": CRANE.encode(),
        "docs/picture.png": b"\x89PNG",
        "docs/../../etc/passwd.md": b"no path of a file",
        "docs/.hidden.md": b"hidden from all answers",
        "docs2/other.md": b"not below the prefix",
    }
    with s3_server(objects, KEY) as (origin, asked):
        allow(services, origin)
        given = {"endpoint": origin, "region": "eu-west-1"}
        remote_folders.watch(services, "s3://shelf/docs", **given, access={**KEY, "password": "wrong"})
        look(services, outbox)
        assert "SignatureDoesNotMatch" in str(problem_of(services))
        remote_folders.watch(services, "s3://shelf/docs/", **given, access=KEY)
        found = look(services, outbox)
        assert [(file.address, file.outcome) for file in found] == [
            ("files://docs/lamp%20é%20+.md", "read"),
            ("files://docs/old/crane.md", "read"),
        ]
        assert "Anna Berg" in str(text_of(services, found[0].address))
        asked.clear()
        look_again(services, outbox)
        assert all("list-type=2" in path for path in asked)  # no object is read again
        objects["docs/old/crane.md"] = CRANE.replace("1950", "1951").encode()  # of the same length
        del objects["docs/lamp é +.md"]
        assert [file.address for file in look_again(services, outbox)] == ["files://docs/old/crane.md"]
        assert "1951" in str(text_of(services, "files://docs/old/crane.md"))
        (folder,) = services.read(folders.list_all)
        assert folder.link == "s3://shelf/docs/"
        objects.clear()
        assert len(look_again(services, outbox)) == 1  # as when a key may no longer list
        assert "empty" in str(problem_of(services))


def test_an_object_that_could_not_be_read_is_read_at_the_next_look(
    services: Services, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow_down(bucket: Bucket, path: str) -> bytes:
        raise FolderUnreadable("503, SlowDown")

    with s3_server({"lamp.md": LAMP.encode()}, {}) as (origin, _):
        allow(services, origin)
        remote_folders.watch(services, "s3://shelf", endpoint=origin, access={})
        with monkeypatch.context() as busy:
            busy.setattr(Bucket, "read", slow_down)
            assert [file.outcome for file in look(services, outbox)] == [None]
        assert [file.outcome for file in look_again(services, outbox)] == ["read"]


REFUSED = {
    "http://127.0.0.1:9/r.git": "WELLREAD_ALLOW_HOSTS",
    "https://user:pw@github.com/o/r": "password",
    "http://169.254.169.254/r.git": "not public",
    "file:///etc": "repository by its http(s) URL",
    "ssh://git@github.com/o/r": "repository by its http(s) URL",
    "ext::sh -c id": "repository by its http(s) URL",
    "s3://UPPER/x": "repository by its http(s) URL",
    "https://github.com/o/r?x=1": "repository by its http(s) URL",
}


def test_addresses_that_are_refused(services: Services) -> None:
    for url, why in REFUSED.items():
        with pytest.raises(BadFolder) as refused:
            remote_folders.watch(services, url, access={})
        assert why in str(refused.value), url
    for more in ({"endpoint": "http://10.0.0.1:9000"}, {"endpoint": "http://169.254.169.254"}, {"ref": "main"}):
        with pytest.raises(BadFolder):
            remote_folders.watch(services, "s3://shelf", **more, access={})  # type: ignore[arg-type]
    with pytest.raises(BadFolder, match="citations link to it"):
        remote_folders.watch(services, "https://github.com/o/r", link="javascript://%0aalert(1)", access={})
    for ref in ("--upload-pack=x", "a b", "a..b", "x\ny"):
        with pytest.raises(BadFolder):
            remote_folders.watch(services, "https://github.com/o/r", ref=ref, access={})
    services.settings = services.settings.model_copy(update={"egress": "none"})
    with pytest.raises(BadFolder, match="WELLREAD_EGRESS"):
        remote_folders.watch(services, "https://github.com/o/r", access={})
    services.settings = services.settings.model_copy(update={"egress": "sources"})
    folder = remote_folders.watch(services, "https://github.com/o/r.git", access={})
    assert folder.link == "https://github.com/o/r/blob/HEAD/"
    assert remote_folders.watch(services, "https://example.org/o/wiki/.git", access={}).name == "wiki"


def test_requests_are_signed_as_in_the_example_of_aws() -> None:
    secrets = {"user": "AKIAIOSFODNN7EXAMPLE", "password": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
    url, now = "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J", datetime(2013, 5, 24, tzinfo=UTC)
    headers = signed(url, region="us-east-1", secrets=secrets, now=now)
    assert headers["authorization"].endswith("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")


def _pack(*objects: tuple[int, int, bytes]) -> bytes:
    """Return a pack of (kind, size as said, content)."""
    out = b"PACK\0\0\0\2" + len(objects).to_bytes(4)
    for kind, size, content in objects:
        head, size = [kind << 4 | size & 15], size >> 4
        while size:
            head[-1] |= 0x80
            head.append(size & 0x7F)
            size >>= 7
        out += bytes(head) + zlib.compress(content)
    return out


def test_hostile_packs_are_refused() -> None:
    blob = b"a text"
    id_ = sha1(b"blob 6\0" + blob).hexdigest()
    assert unpack(_pack((3, 6, blob)), 1_000) == {id_: (3, blob)}
    with pytest.raises(TooLarge):
        unpack(_pack((3, 10**15, b"")), 10**9)
    for broken in (
        _pack((3, 5, blob)),
        _pack((3, 60, blob)),
        _pack((6, 6, blob)),
        _pack((3, 6, blob))[:20],
        b"",
        b"x" * 99,
        _pack((3, 6, blob)).replace(b"\0\0\0\1", b"\0\0\0\2", 1),  # one is missing
        _pack((3, 6, blob), (7, 3, b"")).replace(zlib.compress(b""), bytes.fromhex(id_) + zlib.compress(b"\6\6\x91")),
        b"PACK\0\0\0\2\0\0\0\1" + b"\xb0" + b"\x80" * 10**6,  # a number without end
    ):
        with pytest.raises(BadPack):
            unpack(broken, 10**6)
    with pytest.raises(TooLarge):  # of nothing, but of many
        unpack(_pack(*[(3, 0, b"")] * 11), 1_000)
    bomb = zlib.compress(b"\0" * 50_000_000)
    with pytest.raises(BadPack):
        unpack(b"PACK\0\0\0\2\0\0\0\1" + bytes([3 << 4 | 6]) + bomb, 10**6)


REFUSES = b"0011ERR no\0\x1b[2Jyo"
ADVERTISED = b"000eversion 2\n0000"
REF = b"0031%s HEAD0000"


class _Hostile(BaseHTTPRequestHandler):
    """Answers as its test says, whatever is asked: of Git the refs, then a pack; of S3 a list."""

    answers: ClassVar[dict[str, bytes]] = {}

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        kind = "result" if self.command == "POST" else "advertisement"
        answer = self.answers["refs" if b"ls-refs" in body else "pack" if body else "list"]
        self.send_response(200)
        self.send_header("content-type", f"application/x-git-upload-pack-{kind}")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None: ...


def _commit_of(tree: bytes) -> tuple[bytes, bytes]:
    """Return the hash of a commit, and its answer with a pack."""
    named = b"tree " + sha1(b"tree %d\0" % len(tree) + tree).hexdigest().encode() + b"\n"
    pack = _pack((1, len(named), named), (2, len(tree), tree))
    return sha1(b"commit %d\0" % len(named) + named).hexdigest().encode(), b"%04x\1%s0000" % (len(pack) + 5, pack)


def test_hostile_servers_are_named_as_a_problem(services: Services, outbox: Outbox) -> None:
    cut, cut_pack = _commit_of(b"100644 lamp.md\0\1\2\3")
    with running(ThreadingHTTPServer(("127.0.0.1", 0), _Hostile)) as origin:
        allow(services, origin)
        remote_folders.watch(services, f"{origin}/r.git", name="r", access={})
        for refs, pack, said in (
            (REFUSES, b"", "refused: no  [2Jyo"),
            (REF % (b"\1" * 40), b"", "SHA-1"),
            (REF % (b"a" * 40), b"0000", "no pack"),
            (REF % cut, cut_pack, "damaged pack"),
        ):
            _Hostile.answers = {"refs": refs, "pack": pack, "list": ADVERTISED}
            look_again(services, outbox)
            assert said in str(problem_of(services))
        delete_folder(services, "r")
        listed = (
            "<Contents><Key>a%20b.md</Key><Size>{}</Size></Contents><NextContinuationToken>x</NextContinuationToken>"
        )
        _Hostile.answers = {"list": f"<L>{listed.format(10**30)}</L>".encode()}
        remote_folders.watch(services, "s3://shelf", name="s", endpoint=origin, access={})
        look_again(services, outbox)
        assert "has no end" in str(problem_of(services))


def test_one_look_at_a_folder_goes_on_at_a_time(services: Services, outbox: Outbox, repository: GitRepository) -> None:
    with git_server(repository.folder.parent) as (origin, asked):
        allow(services, origin)
        folder = remote_folders.watch(services, f"{origin}/harbour/.git", name="harbour", access={})
        outbox.messages.clear()
        with services.alone(f"look:{folder.id}"):
            watched.look_through_one(services, folder.id)
        assert (asked, outbox.messages) == ([], [("wellread.look", folder.id)])  # it comes again
        assert len(look(services, outbox)) == 4
