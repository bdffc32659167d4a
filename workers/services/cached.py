"""Attributes that are computed on first use, once, also if several threads need them at the same time."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

Value = TypeVar("Value")


class cached(cached_property[Value]):  # noqa: N801  (written as a decorator, as `property` is)
    """``functools.cached_property`` under the instance's own ``lock``: Python's has no lock from 3.12 on."""

    if not TYPE_CHECKING:  # the types are those of ``cached_property``

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Self | Value:
            """Compute the value, or wait for the thread that does."""
            if instance is None:
                return self
            with instance.lock:  # reentrant: computing a value may use another one
                return super().__get__(instance, owner)
