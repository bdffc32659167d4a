"""Conditions on the passages table, in its SQL, with every value quoted."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from domain import Scope
from domain.site import SiteScope, prefixes_below

#: the condition that keeps passages of private pages out
PUBLIC: Final = "private = false"


def scope_condition(scope: Scope) -> str:
    """Return the condition that keeps a search inside ``scope``, away from private pages that it does not name."""
    conditions = [f"private = false OR {one_of('page_id', scope.private_pages)}" if scope.private_pages else PUBLIC]
    if scope.sites:
        conditions.append(" OR ".join(map(_under, scope.sites)))
    conditions += [f"NOT ({_under(site)} OR {_served_under(site)})" for site in scope.exclude_sites]
    if scope.langs:
        conditions.append(one_of("lang", scope.langs))
    if scope.read_after:
        late = f"read_at > {_moment(scope.read_after)}"
        conditions.append(f"{late} OR {one_of('page_id', scope.confirmed)}" if scope.confirmed else late)
    if scope.published_after:
        conditions.append(f"published > {_moment(scope.published_after)}")
    return both(*conditions)


def both(*conditions: str) -> str:
    """Join conditions that must all hold; empty ones are left out."""
    return " AND ".join(f"({condition})" for condition in conditions if condition)


def one_of(column: str, values: Iterable[str | int]) -> str:
    """Return the condition that ``column`` is one of ``values`` (at least one)."""
    return f"{column} IN ({', '.join(map(quoted, values))})"


def quoted(value: str | int) -> str:
    """Return a value as an SQL literal; nothing in a text can end it."""
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def groups(values: Sequence[str], size: int = 1000) -> list[Sequence[str]]:
    """Cut a list of values into lists that a condition can hold."""
    return [values[first : first + size] for first in range(0, len(values), size)]


def _moment(given: datetime) -> str:
    moment = given if given.tzinfo else given.replace(tzinfo=UTC)
    stamp = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")
    return f"arrow_cast('{stamp}', 'Timestamp(Microsecond, Some(\"UTC\"))')"


def _under(site: str | SiteScope) -> str:
    """Match the URL itself and what lies below it, or what belongs to a site."""
    if isinstance(site, str):
        return f"url = {quoted(site)} OR {_begins(prefixes_below(site))}"
    inside = both(
        " OR ".join(filter(None, (one_of("url", site.urls), _begins(site.prefixes)))),
        _like(site.likes(site.include)),
        f"NOT ({_like(site.likes(site.exclude))})" if site.exclude else "",
    )
    return f"{one_of('url', sorted(site.exact))} OR ({inside})"


def _served_under(site: str) -> str:
    """Match what lies below the site only as it is served: see ``domain.site.as_served``."""
    served, start = "regexp_replace(url, '(/|%2F|%5C)+', '/', 'g')", site.replace("://", ":/", 1)
    below = f"{served} = {quoted(start)} OR {_begins(prefixes_below(start), served)}"
    return both("regexp_like(url, '[^:]//|%2F|%5C')", below)


def _begins(prefixes: Iterable[str], column: str = "url") -> str:
    return " OR ".join(f"starts_with({column}, {quoted(prefix)})" for prefix in prefixes)


def _like(patterns: Iterable[str]) -> str:
    return " OR ".join(f"url LIKE {quoted(pattern)} ESCAPE '\\'" for pattern in patterns)
