"""A corpus in Wellread's own stores: pages in SQL, passages in LanceDB, written and asked by the code that serves.

Every document of the corpus is a page. `workers.indexing` chunks, embeds and writes, `pipeline.ask`
retrieves, `workers.questions.lookup` checks, as they do when serving. Two things differ: the settings are the defaults
whatever the environment says, and a corpus's vectors may come from an earlier run.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic_settings import BaseSettings, PydanticBaseSettingsSource
from sqlalchemy import select
from sqlalchemy.orm import Session

from domain import Hit, PageText, Passage, Validators
from domain.errors import WellreadError
from domain.options import Overrides
from evals.knowledge.ablations import Ablation
from evals.knowledge.vector_cache import CachedEmbedder
from pipeline import ask
from pipeline.answering.citations import is_verbatim
from pipeline.ask import LookupResult, Tools
from pipeline.retrieval.retrieve import Observe, Search, ignore
from store.embedders import Embedder
from store.pages import pages
from store.sql.database import migrate
from store.sql.tables import IndexState, PageRow
from workers import indexing
from workers.questions import lookup
from workers.services import Services
from workers.settings import Settings


class KnowledgeError(WellreadError):
    """The corpus could not be stored or indexed."""


class DefaultSettings(Settings):
    """The default settings and those given as arguments; nothing from the environment."""

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *_: Any, **__: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the arguments as the only source."""
        return (init_settings,)


def services_on(folder: Path, embedder: Embedder) -> Services:
    """Return the services of a process on a folder, with the default settings and this embedder."""
    services = Services(DefaultSettings.model_validate({"data_dir": folder}))
    vars(services)["embedder"] = embedder
    return services


def save_page(session: Session, page: PageText, url: str, now: datetime) -> int:
    """Save a page as a crawl does; return its id."""
    page_id, _ = pages.save(
        session,
        url=url,
        host=urlsplit(url).netloc,
        page=page,
        content_hash=hashlib.sha256(f"{page.title}\0{page.text}".encode()).hexdigest(),
        validators=Validators(),
        depth=0,
        now=now,
    )
    return page_id


@dataclass(frozen=True, kw_only=True)
class Served:
    """The answer a question gets without reading more pages."""

    attempt: LookupResult  #: of the pass that is served, its citations checked
    citations: int  #: that the composer gave
    valid_citations: int  #: those whose quote is at its offsets in the page's stored text


class Knowledge:
    """A corpus in the stores; its documents are numbered by their place in it, from 0."""

    def __init__(
        self,
        services: Services,
        documents: Sequence[Passage],
        ablations: Sequence[Ablation],
        on_first_pass: Callable[[], None],
    ) -> None:
        self._services = services
        self._on_first_pass = on_first_pass
        self._tools = services.tools
        self._second_pass: Callable[[ask.LookupRequest, Tools], LookupResult] = ask.second_pass
        self._switch_off(ablations)
        self._texts = [_page_text(document, ablations) for document in documents]
        self._urls = [document.url for document in documents]
        self.titles = tuple(document.title for document in documents)
        self._page_ids = self._store(range(len(documents)))
        self._services.passages_writer.maintain()
        # two documents with the same text on one site are one page: they count as the first of them
        self._places = {page: at for at, page in reversed(list(enumerate(self._page_ids)))}

    @property
    def search(self) -> Search:
        """The knowledge base as the pipeline searches it."""
        return self._tools.search

    def gold(self, documents: Collection[int]) -> frozenset[int]:
        """Return the documents by the numbers that rankings use."""
        return frozenset(self._places[self._page_ids[at]] for at in documents)

    def ranking(self, hits: Sequence[Hit]) -> list[int]:
        """Return the hits' documents, each at the rank of its best passage."""
        return [self._places[page] for page in dict.fromkeys(hit.passage.page_id for hit in hits)]

    def first_pass(self, text: str, *, search: Search | None = None, observe: Observe = ignore) -> LookupResult:
        """Return the first pass's result."""
        tools = replace(self._tools, search=search or self.search, observe=observe)
        found = ask.first_pass(ask.LookupRequest(text=text), tools)
        self._on_first_pass()
        return found

    def second_pass(self, text: str, *, variants: int | None = None) -> LookupResult:
        """Return the second pass's result, with up to so many ``variants``; None: the default."""
        own = Overrides.model_validate({"variants": variants})
        return self._second_pass(ask.LookupRequest(text=text, overrides=own), self._tools)

    def serve(self, text: str) -> Served:
        """Run the first pass, and the second where that does not suffice."""
        found = self.first_pass(text)
        attempt = lookup.with_checked_citations(self._services, found)
        if not attempt.verdict.sufficient:
            found = self.second_pass(text)
            attempt = lookup.with_checked_citations(self._services, found)
        citations = found.answer.citations if found.answer else ()
        with self._services.database.read() as session:
            texts = pages.texts(session, [citation.page_id for citation in citations])
        return Served(
            attempt=attempt,
            citations=len(citations),
            valid_citations=sum(is_verbatim(citation, texts.get(citation.page_id)) for citation in citations),
        )

    @contextmanager
    def without(self, titles: Collection[str]) -> Iterator[None]:
        """Take all pages with these titles out while the block runs, as if they were gone from the web."""
        places = [at for at, title in enumerate(self.titles) if title in titles]
        gone = {self._page_ids[at] for at in places}
        now = self._services.now()
        with self._services.database.write() as session:
            for page_id in gone:
                pages.mark_gone(session, page_id, now)
        self._index(gone)
        if left := self._services.passages_writer.passages_of(gone):
            raise KnowledgeError(f"{len(left)} passages of pages that are gone are still stored.")
        try:
            yield
        finally:
            self._store(places)

    def ablated(self, ablations: Sequence[Ablation]) -> Knowledge:
        """Return the same stores asked without these parts; an ablation's change to the pages is not made."""
        other = copy(self)
        other._switch_off(ablations)
        return other

    def _switch_off(self, ablations: Sequence[Ablation]) -> None:
        for ablation in ablations:
            self._tools = ablation.tools(self._tools)
            self._second_pass = ablation.second_pass or self._second_pass

    def _store(self, places: Collection[int]) -> list[int]:
        """Save the pages of these documents and index them; return their ids."""
        now = self._services.now()
        with self._services.database.write() as session:
            page_ids = [save_page(session, self._texts[at], self._urls[at], now) for at in places]
        self._index(set(page_ids))
        return page_ids

    def _index(self, page_ids: Collection[int]) -> None:
        """Run the index writer on those of these pages that wait for it."""
        for page_id in sorted(page_ids):
            if page_id in self._waiting():
                indexing.embed(self._services, page_id)
        if waiting := self._waiting() & set(page_ids):
            with self._services.database.read() as session:
                error = session.get_one(PageRow, min(waiting)).error
            raise KnowledgeError(f"{len(waiting)} documents could not be indexed: {error}.")

    def _waiting(self) -> set[int]:
        with self._services.database.read() as session:
            return set(session.scalars(select(PageRow.id).where(PageRow.state != IndexState.INDEXED)))


@contextmanager
def open_knowledge(
    documents: Sequence[Passage],
    embedder: Embedder,
    *,
    cache: Path | None,
    ablations: Sequence[Ablation] = (),
    on_first_pass: Callable[[], None] = lambda: None,
) -> Iterator[Knowledge]:
    """Store the documents in a temporary folder; ``on_first_pass`` is called after each first pass."""
    with tempfile.TemporaryDirectory(prefix="wellread-evals-") as folder:
        services = services_on(Path(folder), CachedEmbedder(embedder, cache) if cache else embedder)
        migrate(services.settings.database)
        # the writer's handle reads too; questions are embedded anew, so that their time is measured
        vars(services)["passages"] = services.passages_writer
        vars(services)["tools"] = replace(services.tools, embedder=embedder)
        try:
            yield Knowledge(services, documents, ablations, on_first_pass)
        finally:
            services.tools.pool.shutdown()
            services.close()


def _page_text(document: Passage, ablations: Sequence[Ablation]) -> PageText:
    page = PageText(title=document.title, text=document.text, lang=document.lang)
    for ablation in ablations:
        page = ablation.page(page)
    return page
