"""Attributes that are computed on first use, once, also if several threads need them at the same time."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, Protocol, Self, TypeVar, overload

Value = TypeVar("Value")


class HasLock(Protocol):
    """An object with cached attributes."""

    @property
    def lock(self) -> RLock:
        """Held while an attribute is computed; that may use another one."""


class cached(Generic[Value]):  # noqa: N801  (written as a decorator, as `property` is)
    """``functools.cached_property`` with a lock, which Python's own lacks from 3.12 on.

    It has no ``__set__``, so the value in the instance's ``__dict__`` is found first after that.
    """

    def __init__(self, make: Callable[[Any], Value]) -> None:
        self._make, self._name = make, make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Self: ...

    @overload
    def __get__(self, instance: HasLock, owner: type[Any]) -> Value: ...

    def __get__(self, instance: HasLock | None, owner: type[Any]) -> Self | Value:
        """Compute the value, or wait for the thread that does."""
        if instance is None:
            return self
        with instance.lock:
            if self._name not in instance.__dict__:
                instance.__dict__[self._name] = self._make(instance)
        value: Value = instance.__dict__[self._name]
        return value
