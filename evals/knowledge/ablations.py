"""The parts that can be switched off to measure what each is worth, one entry for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from domain import PageText
from pipeline.ask import LookupRequest, LookupResult, Tools, final_pass
from pipeline.documents import DOCUMENTS
from pipeline.documents.judge import document_judge, document_stop, similarity_of
from pipeline.enhancements import DEFAULT, OFF, Enhancement
from pipeline.judging.judge import keep_all
from pipeline.retrieval.retrieve import Search
from workers.services.pipeline import with_rules
from workers.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Ablation:
    """A part that is switched off: in the stored pages, in the pipeline's tools, or in the second pass."""

    off: str  #: what does not happen without it
    page: Callable[[PageText], PageText] = lambda page: page
    tools: Callable[[Tools], Tools] = lambda tools: tools
    second_pass: Callable[[LookupRequest, Tools], LookupResult] | None = None  #: instead of the pipeline's own


class _Overridden:
    """A knowledge base with some methods replaced."""

    def __init__(self, search: Search, methods: Mapping[str, Callable[..., Any]]) -> None:
        self._search = search
        self.__dict__.update(methods)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._search, name)


def _override(**methods: Callable[..., Any]) -> Callable[[Tools], Tools]:
    return lambda tools: replace(tools, search=cast("Search", _Overridden(tools.search, methods)))


def _without(name: Enhancement) -> Callable[[Tools], Tools]:
    return lambda tools: replace(tools, enhancements=tools.enhancements - {name})


def _with(name: Enhancement) -> Callable[[Tools], Tools]:
    return lambda tools: replace(tools, enhancements=tools.enhancements | {name})


def _by_document(tools: Tools) -> Tools:
    return replace(tools, judge=document_judge(similarity=similarity_of(tools.embedder.id)))


def _in_profile(tools: Tools) -> Tools:
    return with_rules(tools, Settings.model_construct(None, **DOCUMENTS))  # nothing from the environment


ABLATIONS: dict[str, Ablation] = {
    "bm25": Ablation(off="full text finds nothing", tools=_override(search_text=lambda *_, **__: [])),
    "dense": Ablation(
        off="vectors find nothing, and no hit has a similarity",
        tools=_override(search_vectors=lambda vectors, **_: [[] for _ in vectors], similarities=lambda *_, **__: {}),
    ),
    "similarity-fill": Ablation(
        off="a hit of full text alone has no similarity instead of its exact one",
        tools=_override(similarities=lambda *_, **__: {}),
    ),
    "title": Ablation(off="pages are stored without their titles", page=lambda page: replace(page, title="")),
    "variants": Ablation(
        off="the second pass asks the question alone, for as many hits",
        second_pass=lambda question, tools: final_pass(question, (), tools),
    ),
    "calibration": Ablation(off="the design document's rule judges", tools=_by_document),
    "adaptive": Ablation(off="all hits are handed on, sure or not", tools=lambda tools: replace(tools, stop=keep_all)),
    "judged-stop": Ablation(
        off="the design document's rule says how many hits are handed on",
        tools=lambda tools: replace(tools, stop=document_stop(similarity=similarity_of(tools.embedder.id))),
    ),
    "documents": Ablation(
        off="nothing: the design documents' own rules are on, all at once (WELLREAD_PROFILE=documents)",
        tools=_in_profile,
    ),
    **{name: Ablation(off=f"the enhancement {name}", tools=_without(name)) for name in sorted(DEFAULT)},
    **{
        f"with-{name}": Ablation(off=f"nothing: {name}, which is off by default, is on", tools=_with(name))
        for name in sorted(OFF)
    },
}
