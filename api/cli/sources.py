"""`wellread source`: the sites that may be read for any question."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from api.cli.connect import open_client, option_of_collection, to_delete
from api.cli.output import CommandFailed, WithFlags, notify, print_lines
from api.cli.refusal import error_line
from api.cli.width import clean, counted, when

if TYPE_CHECKING:
    from wellread import Client, Source


_SCHEDULE: Final = frozenset({"every", "cron", "zone"})
_NO_LIMITS: Final[dict[str, Any]] = {"include": [], "exclude": [], "depth": None, "page_only": False}
_NO_SELECTORS: Final[dict[str, Any]] = {"select": [], "drop": []}


@click.group()
def source() -> None:
    """Manage the sites that may be read for any question."""


def _with_access(command: Callable[..., None]) -> Callable[..., None]:
    """Add the flags that say how one's own site is reached; ``@FILE`` keeps a secret out of the shell's history."""
    file = click.Path(path_type=Path)
    options = (
        click.option(
            "--header", multiple=True, metavar="'NAME: VALUE'", help="Header for it; @FILE: read from a file."
        ),
        click.option("--basic", metavar="USER:PASSWORD", help="Basic authentication; or @FILE."),
        click.option("--cookie", multiple=True, metavar="NAME=VALUE", help="Cookie for it; or @FILE."),
        click.option("--client-cert", type=file, help="Client certificate (PEM), perhaps with its key."),
        click.option("--client-key", type=file, help="Key of the client certificate (PEM)."),
        click.option("--ca", type=file, help="CA that is trusted for it beside the usual ones (PEM)."),
        click.option("--proxy", metavar="URL", help="Proxy to reach it by; or @FILE."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@source.command(cls=WithFlags, body="api.schemas.requests:SourceChanges")
@click.argument("urls", nargs=-1, required=True, metavar="URL…")
@click.option("--own", is_flag=True, help="The sites are yours: their addresses may be private.")
@_with_access
def add(urls: tuple[str, ...], own: bool, **settings: Any) -> None:
    """Add sites. Adding one again changes its settings; what is not given stays.

    A page (https://example.org/docs/crane.html) is read alone, a folder with all that is below it. With a schedule, the
    site is checked for new pages at those times, and its pages with it; without one, each page is checked at its own
    interval, sooner when it changes.
    """
    from crawler.discovery.schedule import schedule_of
    from wellread.responses import Refused

    given = _given(settings)
    schedule_of(every=given.get("every"), cron=given.get("cron"), zone=given.get("zone", "UTC"))  # before it is stored
    refused = []
    with open_client() as client:
        for url in urls:
            try:
                added = client.add_source(url, own=own, **given)
            except Refused as error:  # the others are added all the same
                refused.append(f"{clean(url)}: {error_line(error)}" if len(urls) > 1 else error_line(error))
            else:
                print_lines(f"{added.url} may be read for any question.", *_settings_line(added))
    if refused:
        raise CommandFailed("\n".join(refused))


@source.command(cls=WithFlags, body="api.schemas.requests:SourceChanges")
@click.argument("url")
@click.option("--no-schedule", is_flag=True, help="End the schedule: check each page at its own interval again.")
@click.option("--no-limits", is_flag=True, help="Read all of it again: no patterns, no depth, not only the page.")
@click.option("--no-selectors", is_flag=True, help="Find the content of its pages again without --select and --drop.")
@click.option("--no-access", is_flag=True, help="Forget headers, cookies, certificates, proxy and the like.")
@_with_access
def edit(url: str, no_schedule: bool, no_limits: bool, no_selectors: bool, no_access: bool, **settings: Any) -> None:
    """Change a site's settings at any time; what is not given stays."""
    changes = _given(settings) | ({"access": None} if no_access else {})
    if no_schedule and changes.keys() & _SCHEDULE:
        raise click.UsageError("--no-schedule ends a schedule: leave --every, --cron and --zone out.")
    if no_limits and changes.keys() & _NO_LIMITS.keys():
        raise click.UsageError("--no-limits ends all limits: leave --include, --exclude, --depth and --page-only out.")
    changes = (_NO_SELECTORS if no_selectors else {}) | changes
    changes |= ({"every": None, "cron": None} if no_schedule else {}) | (_NO_LIMITS if no_limits else {})
    if not changes:
        raise click.UsageError("Name what to change: `wellread source edit --help` lists the settings.")
    with open_client() as client:
        changed = client.change_source(find_source(client, url).id, **changes)
    print_lines(f"{changed.url} is changed.", *_settings_line(changed))


def _pausing(name: str, help: str, *, paused: bool) -> None:
    @source.command(name, help=help)
    @click.argument("url")
    def change(url: str) -> None:
        with open_client() as client:
            changed = client.change_source(find_source(client, url).id, paused=paused)
        print_lines(f"{changed.url} is {'paused' if paused else 'read by itself again'}.", *_settings_line(changed))


_pausing("pause", "Pause the scheduled reading of a site; its schedule is kept.", paused=True)
_pausing("resume", "Resume the schedule of a paused site.", paused=False)


@source.command(name="list")
def show_all() -> None:
    """List the sites, oldest first."""
    with open_client() as client:
        sites = client.sources()
    print_lines(*(" ".join((clean(site.url), *_settings_line(site))) for site in sites))
    if not sites:
        print_lines("No sources yet: `wellread source add URL` adds one.")


@source.command()
@click.argument("url")
@click.option("--pages", is_flag=True, help="Delete its pages too, with all that was derived from them.")
def remove(url: str, pages: bool) -> None:
    """Remove a site; its pages stay, unless --pages deletes them."""
    with open_client() as client:
        found = find_source(client, url)
    with to_delete() if pages else open_client() as client:
        client.remove_source(found.id, pages=pages)
    print_lines(f"{url} is removed; what was read from it {'is deleted' if pages else 'stays'}.")


def find_source(client: "Client", url: str) -> "Source":
    """Return the source that is meant: its URL as it is stored, or without its scheme or last slash."""
    for source in client.sources():
        stored = source.url.rstrip("/")
        if url.rstrip("/") in (stored, stored.partition("://")[2]):
            return source
    raise CommandFailed(f"{url} is not among the sources: `wellread source list` shows them.")


def say_unread(client: "Client", urls: Sequence[str]) -> None:
    """Say how to remove the sources without a known page: they may be mistyped."""
    for url in urls:
        if not client.pages(site=url, limit=1):
            notify(
                f"No page of {url} could be read. It stays among the sources; if it is mistyped, "
                f"`wellread source remove {shlex.quote(url)}{option_of_collection()}` removes it."
            )


def _given(settings: Mapping[str, Any]) -> dict[str, Any]:
    from api.cli import flags

    given: dict[str, Any] = {**flags.given(settings)}
    user, _, password = secret(given.pop("basic", "")).partition(":")
    access = {
        "headers": _pairs(given.pop("header", ()), ":"),
        "user": user,
        "password": password,
        "cookies": _pairs(given.pop("cookie", ()), "="),
        "certificate": _text(given.pop("client_cert", None)),
        "key": _text(given.pop("client_key", None)),
        "ca": _text(given.pop("ca", None)),
        "proxy": secret(given.pop("proxy", "")),
    }
    access = {name: value for name, value in access.items() if value}
    return given | ({"access": access} if access else {})


def secret(value: str) -> str:
    """Return a value, or the content of the file named by ``@FILE``."""
    if not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).expanduser().read_text().strip()
    except (OSError, UnicodeError) as error:
        raise click.UsageError(
            f"{value[1:]} cannot be read: {getattr(error, 'strerror', None) or 'it is not text'}."
        ) from None


def _pairs(values: Sequence[str], mark: str) -> dict[str, str]:
    parts = [secret(value).partition(mark) for value in values]
    if not all(found for _, found, _ in parts):
        raise click.UsageError(f"A name, {mark!r} and a value are needed.")
    return {name.strip(): value.strip() for name, _, value in parts}


def _text(path: Path | None) -> str:
    return secret(f"@{path}") if path else ""


def _settings_line(site: "Source") -> list[str]:
    """Return the settings of a source in one line; none if it has none."""
    parts = [
        "own" if site.own else "",
        "ignores robots.txt" if site.ignore_robots else "",
        f"with {', '.join(site.access)}" if site.access else "",
        f"{site.min_delay_s:g} s between requests" if site.min_delay_s is not None else "",
        "this page only" if site.page_only else "",
        f"at most {counted(site.depth, 'link')} deep" if site.depth is not None else "",
        f"only {', '.join(map(clean, site.include))}" if site.include else "",
        f"without {', '.join(map(clean, site.exclude))}" if site.exclude else "",
        f"select {', '.join(map(clean, site.select))}" if site.select else "",
        f"drop {', '.join(map(clean, site.drop))}" if site.drop else "",
        f"redirects to {clean(site.moved_to)}" if site.moved_to else "",
    ]
    if site.schedule:
        from crawler.discovery.schedule import describe

        due = "paused" if site.paused else f"next {when(site.next_due)}"
        parts.append(f"{describe(site.schedule)}, {due}")
    elif site.paused:
        parts.append("paused")
    line = " ".join(f"({each})" for each in parts if each)
    return [line] if line else []
