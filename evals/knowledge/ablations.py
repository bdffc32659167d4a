"""The parts that can be switched off, to see what each is worth: one entry a part."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from domain import Hit, PageText, Scope
from pipeline.ask import LookupResult, Query, Tools, look_again
from pipeline.enhancements import DEFAULT, OFF, Enhancement
from pipeline.retrieval.retrieve import Search


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, kw_only=True)
class Ablation:
    """A part that is switched off: in the pages that are kept, in what the pipeline looks with, or in how."""

    off: str  #: what no longer happens
    page: Callable[[PageText], PageText] = _as_it_is
    tools: Callable[[Tools], Tools] = _as_it_is
    second_look: Callable[[Query, Tools], LookupResult] | None = None  #: instead of the pipeline's own


class _Through:
    """A knowledge base seen through something; what is not overridden is the knowledge base's own."""

    def __init__(self, search: Search) -> None:
        self._search = search

    def __getattr__(self, name: str) -> Any:
        return getattr(self._search, name)


class _NoText(_Through):
    def search_text(self, text: str, *, lang: str, k: int, scope: Scope) -> list[Hit]:
        return []


class _NoVectors(_Through):
    def search_vectors(self, vectors: NDArray[np.float32], *, k: int, scope: Scope) -> list[list[Hit]]:
        return [[] for _ in vectors]

    def similarities(self, vectors: NDArray[np.float32], ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        return {}


class _NoFill(_Through):
    def similarities(self, vectors: NDArray[np.float32], ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        return {}


def _seen_through(view: Callable[[Search], _Through]) -> Callable[[Tools], Tools]:
    return lambda tools: replace(tools, search=cast("Search", view(tools.search)))


def _without(name: Enhancement) -> Callable[[Tools], Tools]:
    return lambda tools: replace(tools, enhancements=tools.enhancements - {name})


def _with(name: Enhancement) -> Callable[[Tools], Tools]:
    return lambda tools: replace(tools, enhancements=tools.enhancements | {name})


ABLATIONS: dict[str, Ablation] = {
    "bm25": Ablation(off="full text finds nothing", tools=_seen_through(_NoText)),
    "dense": Ablation(off="vectors find nothing, and no hit has a similarity", tools=_seen_through(_NoVectors)),
    "similarity-fill": Ablation(
        off="a hit of full text alone keeps no similarity instead of its exact one", tools=_seen_through(_NoFill)
    ),
    "title": Ablation(off="pages are kept without their titles", page=lambda page: replace(page, title="")),
    "variants": Ablation(
        off="the second look asks the question alone, for as many hits",
        second_look=lambda question, tools: look_again(question, (), tools),
    ),
    "calibration": Ablation(
        off="the design document's rule judges", tools=lambda tools: replace(tools, judge="document")
    ),
    "adaptive": Ablation(off="all hits are kept, sure or not", tools=lambda tools: replace(tools, stop="max_k")),
    "judged-stop": Ablation(
        off="the design document's rule says how many hits are kept",
        tools=lambda tools: replace(tools, stop="document"),
    ),
    **{name: Ablation(off=f"the enhancement {name}", tools=_without(name)) for name in sorted(DEFAULT)},
    **{
        f"with-{name}": Ablation(off=f"nothing: {name}, which is off by default, is on", tools=_with(name))
        for name in sorted(OFF)
    },
}
