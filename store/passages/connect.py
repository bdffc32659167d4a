"""Open LanceDB and the passages table, in the process that uses them.

LanceDB's threads and locks do not survive a fork: a process forked from one that opened it is refused.
"""

import os
import shutil
import sys
import time
from datetime import timedelta
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any, Final

from store.passages.errors import OpenedBeforeFork

TABLE: Final = "passages"
#: None at all: a question is looked up again as soon as its pages are in, by another process than wrote them
_READERS_LAG: Final = timedelta(0)
#: pauses before a table that is listed and cannot be opened is looked at again, in seconds
_WHILE_IT_IS_MADE = (0.05, 0.1, 0.25, 0.6, 1.0)
#: a client of REST catalogues, of whose classes LanceDB takes the models alone
_REST_CLIENT: Final = "lance_namespace_urllib3_client"
#: the process LanceDB was first opened in: a child forked from it can hang in a lock that nobody holds any more
_opened_in: int | None = None


def connect(uri: str) -> Any:
    """Connect to the database at ``uri``; its handles see other processes' commits at once.

    Raises OpenedBeforeFork.
    """
    global _opened_in
    refuse_after_fork(uri)
    _leave_out_rest_client()
    import lancedb

    _opened_in = os.getpid()
    return lancedb.connect(uri, read_consistency_interval=_READERS_LAG)


def _leave_out_rest_client() -> None:
    """Have LanceDB import no client of REST catalogues: half of its import, and never used here.

    The client's package is there, so that its models can be imported; it is executed once anything else is asked of it.
    """
    spec = find_spec(_REST_CLIENT) if _REST_CLIENT not in sys.modules else None
    if spec is None or spec.loader is None:
        return
    package, loader = module_from_spec(spec), spec.loader

    def load(name: str) -> Any:
        del package.__dict__["__getattr__"]
        loader.exec_module(package)
        return getattr(package, name)

    package.__dict__["__getattr__"] = load
    sys.modules[_REST_CLIENT] = package


def erase(uri: str) -> None:
    """Remove the database at ``uri`` with all that is in it; nothing happens where there is none."""
    if "://" in uri:
        connect(uri).drop_all_tables()
    else:
        shutil.rmtree(uri, ignore_errors=True)


def refuse_after_fork(uri: str) -> None:
    """Raise OpenedBeforeFork in a process forked from one that had LanceDB open."""
    if _opened_in not in (None, os.getpid()):
        raise OpenedBeforeFork(uri)


def is_there(uri: str) -> bool:
    """Return whether there is a passages table at ``uri``; a folder is looked at without opening LanceDB."""
    if "://" in uri:
        return TABLE in connect(uri)
    return any(versions_of(uri).glob("*"))


def versions_of(uri: str) -> Path:
    """Return the folder with a file for each version of the passages table; nowhere where ``uri`` is no folder."""
    return Path(uri) / f"{TABLE}.lance" / "_versions"


def empty_table(schema: Any) -> Any:
    """Return an empty table in the memory of this process: what a reader searches until there is one."""
    from store.passages import maintenance  # it imports pyarrow

    table = connect("memory://").create_table(TABLE, schema=schema)
    maintenance.index(table)
    return table


def open_table(database: Any, schema: Any) -> Any:
    """Open the table, made first where it is missing, in today's form; another process may do so in the same moment.

    Its folder is there before it can be opened: what cannot be found is looked for again for two seconds.
    """
    for pause_s in _WHILE_IT_IS_MADE:
        try:
            return _made_and_opened(database, schema)
        except (ValueError, RuntimeError):
            time.sleep(pause_s)
    return _made_and_opened(database, schema)


def _made_and_opened(database: Any, schema: Any) -> Any:
    from store.passages import maintenance
    from store.passages.schema import ADDED

    if TABLE not in database:
        maintenance.index(database.create_table(TABLE, schema=schema, exist_ok=True))
    table = database.open_table(TABLE)
    if missing := {name: value for name, value in ADDED.items() if name not in table.schema.names}:
        table.add_columns(missing)
    return table
