"""`wellread add` and `files`: documents of your own, one by one or a folder that is watched."""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from api.cli.connect import connected, open_client, open_collection, to_delete
from api.cli.output import (
    EXIT_NOT_KNOWN,
    CommandFailed,
    WithFlags,
    notify,
    print_lines,
    progress_count,
    progress_line,
    terminal,
)
from api.cli.sources import secret
from api.cli.width import Style, clean, cut, when

if TYPE_CHECKING:
    from crawler.folder import FoundFile
    from wellread import Client, StoredFile

#: seconds between two looks at the progress
POLL_EVERY_S = 0.3
_PART = 1_000  #: files listed in one request
#: files that are left out of a folder, as many as are named
_NAMED = 5
#: what says how a bucket is reached, by the variables that AWS's own tools read
_AWS = {
    "user": "AWS_ACCESS_KEY_ID",
    "password": "AWS_SECRET_ACCESS_KEY",
    "token": "AWS_SESSION_TOKEN",
    "region": "AWS_REGION",
    "endpoint": "AWS_ENDPOINT_URL",
}


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE_OR_FOLDER…", type=click.Path(path_type=Path))
@click.option("--name", default="", help="Another name for the file or folder.")
@click.option("--every", metavar="SPAN", help="Check the folder this often: 90s, 6h, 1d12h.  [default: 60s]")
@click.option("--wait", type=click.FloatRange(min=1), default=600.0, show_default=True, help="Seconds to wait.")
def add(paths: tuple[Path, ...], name: str, every: str | None, wait: float) -> None:
    """Add files or folders: documents, slides, workbooks, books, mail, web pages, text and data.

    A file is copied; one of the same name is replaced. A folder is watched: while Wellread runs, new and changed files
    are read, and removed ones leave the answers. With WELLREAD_API_URL, its files are copied once instead.
    Exit codes: 0 all were read, 3 some could not be, 1 an error.
    """
    from crawler.discovery.schedule import schedule_of

    schedule = schedule_of(every=every, cron=None, zone="UTC") if every else None
    every_s = schedule.every_s if schedule else None
    _check(paths, name, every)
    with connected() as client:
        started = [each for path in paths for each in _start(client, path, name, every_s)]
        ended = _wait(client, started, wait)
    other_kinds = [file.path for path in paths if path.is_dir() for file in _found_in(path, readable=False)]
    print_lines(*added_lines(ended, terminal()), *other_kinds_lines(other_kinds, terminal()))
    if any(not file.in_knowledge_base for file in ended):
        click.get_current_context().exit(EXIT_NOT_KNOWN)


@click.group()
def files() -> None:
    """List files and watched folders, and remove them."""


@files.command(name="list")
@click.option("--failed", is_flag=True, help="Only those that could not be read, and why.")
@click.option("--folder", default="", metavar="NAME", help="Only of this folder; `uploads` has the copied files.")
def show_all(failed: bool, folder: str) -> None:
    """List the files by address, with their state."""
    with open_client() as client:
        found = list(_all(client, folder, failed=failed))
        none_failed = failed and not found and client.files(folder=folder)
    for file in found:
        print_lines(*_lines_of(file, terminal()))
    if none_failed:
        print_lines("Every file could be read.")
    elif not found and (failed or folder):
        print_lines("None match: `wellread files list` lists all files.")
    elif not found:
        print_lines("No files yet: `wellread add FILE_OR_FOLDER` adds some.")


@files.command(cls=WithFlags, body="api.schemas.requests:FolderRequest")
@click.argument("url")
@click.option("--login", metavar="USER:PASSWORD", default="", help="Login, or an S3 key's id and secret; or @FILE.")
@click.option("--wait", type=click.FloatRange(min=1), default=600.0, show_default=True, help="Seconds to wait.")
def watch(url: str, login: str, wait: float, **settings: Any) -> None:
    """Watch a folder of a Git repository (its http(s) URL) or of an S3 bucket (s3://BUCKET/PREFIX).

    What changes there is read, and what is removed leaves the answers. For a bucket, the key, region and endpoint are
    those of the usual AWS variables (AWS_ACCESS_KEY_ID, AWS_REGION, AWS_ENDPOINT_URL …) unless options name others.
    """
    user, _, password = secret(login).partition(":")
    given = {name: value for name, value in settings.items() if value} | {"user": user, "password": password}
    if url.startswith("s3://"):
        given |= {name: value for name, key in _AWS.items() if not given.get(name) and (value := os.environ.get(key))}
        given |= {} if not login or "token" not in given else {"token": ""}
    with connected() as client:
        folder = client.watch_folder(url, **given)
        notify(f"Watching {url} as files://{folder.name}/.")
        deadline = time.monotonic() + wait
        while not (folder.checked_at or folder.problem) and time.monotonic() < deadline:
            time.sleep(POLL_EVERY_S)
            folder = next(each for each in client.folders() if each.name == folder.name)
        if folder.problem:
            raise CommandFailed(f"{folder.problem} `wellread files remove {folder.name}` stops that.")
        if not folder.checked_at:
            raise CommandFailed("It is still being looked through: `wellread files folders` says how that went.")
        ended = _wait(client, [folder.name], deadline - time.monotonic())
    print_lines(*added_lines(ended, terminal()))


@files.command()
def folders() -> None:
    """List the watched folders: of this machine, of repositories and of buckets."""
    from store import folders as stored

    style = terminal()
    found = open_collection().read(stored.list_all)
    for folder in found:
        print_lines(f"files://{folder.name}/  {clean(folder.path)}  next check {when(folder.next_due)}")
        if folder.problem:
            print_lines(*style.wrap(clean(folder.problem), indent="    ", fg="yellow"))
    if not found:
        print_lines("No watched folders: `wellread add FOLDER` watches one.")


@files.command()
@click.argument("folder")
def remove(folder: str) -> None:
    """Stop watching FOLDER, and delete what was read from it; the folder itself is not touched."""
    from workers.deletion import delete_folder, find_folder

    services = open_collection()
    find_folder(services, folder)
    with to_delete():
        number = delete_folder(services, folder)
    print_lines(f"{folder} is no longer watched; {number:,} files are deleted from the knowledge base.")


def _check(paths: tuple[Path, ...], name: str, every: str | None) -> None:
    if name and len(paths) > 1:
        raise CommandFailed("--name is for one file or folder: add them one by one.")
    for path in paths:
        if not path.exists():
            raise CommandFailed(f"{path} is not there.")
        if not path.is_file() and not path.is_dir():
            raise CommandFailed(f"{path} is neither a file nor a folder.")
        if every is not None and path.is_file():
            raise CommandFailed(f"--every is for a folder, which is watched: {path} is a file, which is read once.")
    names = [path.name for path in paths if path.is_file()]
    if twice := next((each for each in names if names.count(each) > 1), ""):
        raise CommandFailed(
            f"Two files are called {twice}: add them one by one with --name, or the folder they are in."
        )


def _start(client: "Client", path: Path, name: str, every_s: float | None) -> Iterator[int | str]:
    """Have a file or folder read; yield the file's id, or the name of the folder."""
    if path.is_file():
        yield _send(client, path, name or path.name)
    elif os.environ.get("WELLREAD_API_URL"):
        notify(f"The API is elsewhere: the files of {path} are copied there once, and not watched.")
        found, show = _found_in(path, readable=True), progress_count("files sent")
        for done, file in enumerate(found, start=1):
            show(done, len(found))
            yield _send(client, path / file.path, f"{name or path.resolve().name}/{file.clean}")
    else:
        from workers import files as watched

        folder = watched.watch(open_collection(), path, name=name, every_s=every_s or watched.EVERY_S)
        notify(f"Watching {path} as files://{folder.name}/.")
        yield folder.name


def _found_in(folder: Path, *, readable: bool) -> "list[FoundFile]":
    """Return the files below a folder that can be read, or those that are left out because of their kind."""
    from crawler.file_kinds import BY_SUFFIX, suffix_of
    from crawler.folder import find_files

    return list(find_files(folder, lambda name: (suffix_of(name) in BY_SUFFIX) is readable))


def _send(client: "Client", path: Path, name: str) -> int:
    try:
        return client.add_file(name, path.read_bytes()).id
    except OSError as error:
        raise CommandFailed(f"{path} cannot be read: {error.strerror or error}.") from error


def _all(client: "Client", folder: str, *, failed: bool = False) -> "Iterator[StoredFile]":
    after = ""
    while True:
        found = client.files(folder=folder, failed=failed, after=after)
        yield from found
        if len(found) < _PART:
            return
        after = found[-1].address


def _wait(client: "Client", started: Sequence[int | str], wait_s: float) -> "list[StoredFile]":
    """Wait until every file is read and indexed, or the time is up; a text is the name of a folder."""
    deadline, show = time.monotonic() + wait_s, progress_line()
    while True:
        seen: list[StoredFile] = []
        for each in started:
            seen += [client.file(each)] if isinstance(each, int) else _all(client, each)
        left = sum(not file.is_over for file in seen)
        if not left or time.monotonic() > deadline:
            show("", True)
            return seen
        show(f"{len(seen) - left:,} of {len(seen):,} files read", False)
        time.sleep(POLL_EVERY_S)


def added_lines(files: "Sequence[StoredFile]", style: Style) -> list[str]:
    """Return what came of files that were added: those that could not be read first, with the reason."""
    if not files:
        return ["It contains no file that can be read."]
    held = [file for file in files if file.in_knowledge_base]
    lines = [line for file in files if not file.in_knowledge_base for line in _lines_of(file, style)]
    if len(held) == 1:
        return [*lines, *_lines_of(held[0], style)]
    lines += [line for file in held if file.missing for line in _lines_of(file, style)]
    return [*lines, f"{len(held):,} of {len(files):,} files are in the knowledge base."]


def other_kinds_lines(paths: Sequence[str], style: Style) -> list[str]:
    """Return which files of a folder are left out because of their kind: the first few by name."""
    if not paths:
        return []
    named = ", ".join(map(clean, paths[:_NAMED])) + (
        f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
    )
    what = "1 file is" if len(paths) == 1 else f"{len(paths):,} files are"
    return style.wrap(f"{what} in a format that cannot be read: {named}. Save them as PDF.")


def _lines_of(file: "StoredFile", style: Style) -> list[str]:
    """Return a file with its title and its missing parts, or why it could not be read."""
    if file.in_knowledge_base:
        line = f"read     {clean(file.address)}  {clean(file.title or '')}"
        why = f"read in part: without {clean(', '.join(file.missing))}" if file.missing else ""
    else:
        line, why = f"{'not read' if file.outcome else 'waiting '} {clean(file.address)}", clean(file.reason or "")
    return [cut(line, style.width), *(style.wrap(why, indent="    ") if why else ())]
