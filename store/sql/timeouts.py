"""How long PostgreSQL is waited for where its machine or the way to it is gone: by default two minutes to two hours."""

from __future__ import annotations

import time
from typing import Any, Final

from sqlalchemy.engine import Dialect, make_url

#: of libpq: seconds to connect; a silent connection is asked after 10 s, and given up after 25 s (the last in ms)
_TIMEOUTS = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}


#: seconds between two tries to connect
_EVERY_S: Final = 0.25


def connect_within(seconds: float, dialect: Dialect, _record: Any, arguments: Any, named: Any) -> Any:
    """Return a connection, tried for until the time is up: a handler of SQLAlchemy's event ``do_connect``."""
    until = time.monotonic() + seconds
    while True:
        try:
            return dialect.connect(*arguments, **named)
        except dialect.loaded_dbapi.OperationalError:
            if time.monotonic() > until:
                raise
        time.sleep(_EVERY_S)


def postgres_timeouts(url: str) -> dict[str, int]:
    """Return the timeouts of a connection, without those that the URL itself names."""
    named = make_url(url).query
    return {name: value for name, value in _TIMEOUTS.items() if name not in named}
