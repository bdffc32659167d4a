"""The delay between two requests to a host: what the site asks for, else by how fast it answers."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FLOOR_S = 1.0
CEILING_S = 30.0  #: of a delay that the site did not ask for
MAX_ASKED_S = 86_400.0  #: the longest delay a site may ask for: one absurd header must not block a host for ever
SERVED = frozenset({200, 203, 304})  #: statuses of a server that did as asked
OVERLOADED = frozenset({429, 503})  #: statuses of a server that asks for fewer requests


def next_delay_s(
    previous_s: float,  # the last result for the host, ``floor_s`` at first
    latency_s: float,
    *,
    status: int | None,  # None if there was no answer
    crawl_delay_s: float | None = None,
    retry_after_s: float | None = None,
    floor_s: float = FLOOR_S,  # may be 0 for an operator's own site
) -> float:
    """Return the seconds until the next request to a host.

    AutoThrottle (scrapy.extensions.throttle) for one request at a time: the mean of the previous delay and the latency,
    but no less than the latter, between the floor and the ceiling; an error never shortens the delay, because errors
    come quickly. Unlike in Scrapy a 304 can shorten it: else a site whose pages seldom change would be read ever more
    slowly. An overloaded server that names no time gets twice the delay. Crawl-delay and Retry-After are the site's own
    wish and may exceed the ceiling.
    """
    previous_s = min(previous_s, CEILING_S)  # what a site asked for beyond it was meant for one time
    latency_s = max(0.0, latency_s)
    delay_s = max(latency_s, (previous_s + latency_s) / 2)
    if status not in SERVED:
        delay_s = max(delay_s, previous_s)
    if status in OVERLOADED and retry_after_s is None:
        delay_s = max(delay_s, 2 * previous_s, FLOOR_S)
    asked_s = max(crawl_delay_s or 0.0, retry_after_s or 0.0)
    return max(min(max(delay_s, floor_s), CEILING_S), min(asked_s, MAX_ASKED_S))


def parse_retry_after(value: str, now: datetime) -> float | None:
    """Return the seconds a Retry-After header (RFC 9110 §10.2.3) asks for; None for neither seconds nor a date."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value), MAX_ASKED_S)
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return min(max(0.0, (when - now).total_seconds()), MAX_ASKED_S)
