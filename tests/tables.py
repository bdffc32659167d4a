"""A table of examples as one test, which names each row that fails: thousands of cases say no more and cost minutes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def each_row(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test on every row, as ``pytest.mark.parametrize`` does, in one case; its fixtures serve all rows."""
    columns = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    table = [row if len(columns) > 1 else (row,) for row in rows]
    assert table

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def on_every_row(**fixtures: Any) -> None:
            failed = []
            for number, row in enumerate(table, start=1):
                values = dict(zip(columns, row, strict=True))
                try:
                    test(**fixtures, **values)
                except Exception as error:
                    error.add_note(f"row {number}: {values!r:.500}")
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(table)} rows", failed)

        left = [parameter for name, parameter in signature.parameters.items() if name not in columns]
        on_every_row.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        del on_every_row.__wrapped__  # type: ignore[attr-defined]  # pytest would ask for the columns as fixtures
        return on_every_row

    return decorate
