"""Starts the API on a real Valkey and an empty database, and lets schemathesis ask every route of it.

It asks what the OpenAPI document allows and what it does not, with keys and without, and compares each answer with the
document. Nothing works on the questions: each is cancelled, so that who waits for its answer goes on.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import select

from api.app import create_app
from api.middleware.auth import WrongKeys
from store.questions import state, watches
from store.sql.database import migrate
from store.sql.tables import QuestionRow
from tests.api.conftest import serving
from tests.servers import valkey_server
from workers.questions.submit import cancel
from workers.questions.watches import unwatch
from workers.services import Services
from workers.settings import load

KEY = "contract-key"
#: fits models anew from what is stored, for minutes
LEFT_OUT = "^/api/learned$"
HERE = Path(__file__).parent


def main() -> int:
    """Ask every route; return schemathesis' exit status: 0 where it found nothing."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--examples", type=int, default=30, help="requests of each kind to each route")
    arguments.add_argument("--only", default="", help="a regular expression: the paths that are asked")
    given = arguments.parse_args()
    with _api() as url:
        return subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(HERE / "schemathesis.toml"), "run"),
                *(f"{url}/openapi.json", "--checks", "all", "--phases", "examples,coverage,fuzzing"),
                *("--max-examples", str(given.examples), "--exclude-path-regex", LEFT_OUT),
                *(("--include-path-regex", given.only) if given.only else ()),
                *("--header", f"Authorization: Bearer {KEY}"),
            ],
            env=os.environ | {"SCHEMATHESIS_HOOKS": "tests.contract.hooks"},
            check=False,
        ).returncode


@contextmanager
def _api() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, valkey_server() as redis_url:
        # in the environment: the messages' sender reads its own settings
        os.environ |= {
            "WELLREAD_DATA_DIR": f"{folder}/data",
            "WELLREAD_REDIS_URL": redis_url,
            "WELLREAD_WIKIPEDIA": "false",
            "WELLREAD_API_KEYS": f"admin:{KEY}",
            "WELLREAD_MAX_OPEN_QUESTIONS": "1000000",
            "WELLREAD_MAX_OPEN_PER_CALLER": "1000000",
        }
        settings = load()
        settings.data_dir.mkdir()
        migrate(settings.database)
        services, over = Services(settings), threading.Event()
        app = create_app(services)
        app.state.keys.wrong_keys = WrongKeys(clock=_hurried)
        ending = threading.Thread(target=_cancel_all, args=(services, over))
        ending.start()
        try:
            with serving(app) as url:
                yield url
        finally:
            over.set()
            ending.join()
            services.close()


def _hurried() -> float:
    """Return the seconds of a clock on which who sends a wrong key never waits: every tenth request is one."""
    return time.monotonic() * 1000


def _cancel_all(services: Services, over: threading.Event) -> None:
    """Cancel each question that waits, and watch none: a stream of its changes would never end."""
    waiting = select(QuestionRow.id).where(QuestionRow.status.in_(state.OPEN))
    while not over.wait(0.05):
        with services.database.read() as session:
            ids, watched = list(session.scalars(waiting)), [each.question_id for each in watches.list_all(session)]
        for question_id in ids:
            cancel(services, question_id)
        for question_id in watched:
            unwatch(services, question_id)


if __name__ == "__main__":
    raise SystemExit(main())
