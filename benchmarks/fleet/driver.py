"""A process of the simulated fleet: a worker of the product whose steps sleep, or whoever asks.

The worker is :func:`workers.entrypoints.run_worker`, with as many threads as it is told. Only the work of a step is
replaced, by sleeping about as long: the searches of a pass, the choice of links, the request for a page
with its extraction, and the embedding of passages with their commit.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

from crawler.read import ReadResult
from domain import Answer, Budget, Citation, Link, PageText, Passage, ReadOutcome
from domain.answer import EXTRACTIVE, Sentence
from domain.hit import passage_of_page
from pipeline import ask
from store import activity
from store.questions.new_questions import NewQuestion
from workers import indexing
from workers.crawl import read_candidate
from workers.entrypoints import run_worker
from workers.questions.submit import submit
from workers.services import services
from workers.settings import load

#: in Redis: the seconds that the one writer was at work
WRITER = "fleet:writer"
#: of ten questions so many are answered in other words, so many after reading; all others at the first pass
AGAIN, READ, OF = 1, 1, 10
#: sites that a question names which is read for: of each a page and a sitemap
SITES = 2
#: the page that all answers cite
CITED = "https://lamps.example/"
_SENTENCE = "A lamp burns with oil all night."
_WORDS = "lamp oil night keeper wick dawn tower stone sea ship fog bell door stair glass light rope boat wind".split()


@dataclass(frozen=True, kw_only=True)
class Times:
    """The seconds that each step's work takes, as docs/benchmarks.md and benchmarks/NOTES.md have them."""

    first: float = 0.24  #: a first pass: reading passages, searching, composing
    wider: float = 0.35  #: a pass in four wordings
    choose: float = 0.05
    fetch: float = 0.5  #: a site's answer, and extraction
    embed: float = 0.1  #: a page, in the one process that writes
    commit: float = 0.1  #: of up to 16 pages

    @property
    def of_question(self) -> tuple[float, float, float]:
        """The seconds of a question on average: those of workers that answer, of those that read, and of the writer."""
        again, read = AGAIN / OF, READ / OF
        answer = self.first + (again + 2 * read) * self.wider
        of_page = self.embed + self.commit / indexing.BATCH_PAGES
        return answer, read * (self.choose + 2 * SITES * self.fetch), read * SITES * of_page


def kind(text: str) -> str:
    """Return what a question takes, by the number in it."""
    number = int(text.rpartition(" ")[2].rstrip("?")) % OF
    return "read" if number < READ else "again" if number < READ + AGAIN else "known"


def page(url: str) -> PageText:
    """Return a page of some 500 words, like no other."""
    chance = random.Random(url)
    told = (f"The {' '.join(chance.choices(_WORDS, k=12))} {chance.random()}. " for _ in range(36))
    return PageText(title=f"The lamp of {url}", text=_SENTENCE + " ".join(told), lang="en")


def _found(page_id: int) -> tuple[Sequence[Passage], Answer]:
    """Return what a search finds, and the answer, with a citation that is checked against the stored page."""
    about: Any = {"page_id": page_id, "url": CITED}
    passages = [passage_of_page(page(CITED), 0, 700, id=f"{page_id}-{at}", ord=at, **about) for at in range(8)]
    place: Any = {"passage_id": passages[0].id, "title": passages[0].title, "start": 0, "end": len(_SENTENCE)}
    citation = Citation(marker=1, quote=_SENTENCE, **place, **about)
    said: Any = {"sentences": (Sentence(text=_SENTENCE, markers=(1,)),), "citations": (citation,)}
    return passages, Answer(text=f"{_SENTENCE} [1]", confidence=0.9, composer=EXTRACTIVE, **said)


def _sleep(seconds: float) -> None:
    """Sleep for that long on average: steps that take the same time would all end at once."""
    time.sleep(seconds * random.uniform(0.5, 1.5))


def replace_work(now: Times, page_id: int) -> None:
    """Have steps sleep instead of working, in this process."""
    passages, answer = _found(page_id)

    def run(seconds: float, known: Sequence[str], request: ask.LookupRequest, *_: object) -> ask.LookupResult:
        _sleep(seconds)
        found, is_known = ask.without_search(request, passages, answer), kind(request.text) in known
        verdict = replace(found.verdict, sufficient=is_known, confidence=0.9 if is_known else 0.4)
        return replace(found, verdict=verdict)

    def fetch(services: object, claim: Any) -> ReadResult:
        _sleep(now.fetch)
        url = claim.candidate.url
        found = {"outcome": ReadOutcome.READ, "url": url, "status": 200, "bytes": 9_000, "elapsed_s": 0.2}
        if claim.candidate.kind != "page":
            return ReadResult(**found, links=tuple(Link(url=f"{url}/{at}", origin="sitemap") for at in range(5)))
        text = page(url)
        return ReadResult(**found, page=text, content_hash=text.content_hash, body_hash=text.content_hash)

    for name, seconds, known in (
        ("first_pass", now.first, ("known",)),
        ("second_pass", now.wider, ("known", "again")),
        ("final_pass", now.wider, ("known", "again", "read")),
    ):
        setattr(ask, name, partial(run, seconds, known))
    read_candidate.fetch = fetch
    opened = vars(services())
    nothing: Any = SimpleNamespace(id="none", dimension=1, embed=len, read=lambda *_: ())
    opened |= dict.fromkeys(("embedder", "reader", "passages"), nothing)
    opened["tools"] = ask.Tools(search=nothing, embedder=nothing, pool=nothing, clock=time.perf_counter)
    opened["link_vectors"] = SimpleNamespace(similarity_to=lambda *_: _sleep(now.choose))
    opened["passages_writer"] = SimpleNamespace(write_pages=partial(_write, now), maintain=lambda: None)


def _write(now: Times, pages: Mapping[int, Sequence[Passage]], _: object) -> Any:
    _sleep(now.commit + len(pages) * now.embed)
    return SimpleNamespace(passages=sum(map(len, pages.values())), embedded=0)


def ask_on(most: int) -> None:
    """Keep so many questions open, each asked as the API does."""
    ready, number, budget = services(), 0, Budget(seconds=1e6)
    while True:
        for _ in range(most - ready.read(activity.count_open, most)):
            number += 1
            text = f"How does the lamp burn all night in house {number}?"
            sites = [f"https://h{number}-{at}.example/" for at in range(SITES)] if kind(text) == "read" else []
            submit(ready, NewQuestion(text=text, sites=tuple(sites), reuse=False, budget=budget, deadline_s=86_400))
        time.sleep(0.2)


def counted(work: Callable[..., None]) -> Callable[..., None]:
    """Return the work of the one writer, its time added up in Redis."""

    def run(*args: Any) -> None:
        began = time.perf_counter()
        work(*args)
        services().redis.incrbyfloat(WRITER, time.perf_counter() - began)

    return run


def main(role: str, argument: str, slower: str, embed_s: str) -> None:
    """Run a worker of queues, separated by commas, whose answers cite a page; or ask, keeping so many open."""
    if role == "ask":
        ask_on(int(argument))
        return
    os.environ["WELLREAD_QUEUE"] = role
    at_full_speed = vars(Times(embed=float(embed_s)))
    replace_work(Times(**{name: float(slower) * seconds for name, seconds in at_full_speed.items()}), int(argument))
    indexing.embed = counted(indexing.embed)
    run_worker(load(), *role.split(","))


if __name__ == "__main__":
    main(*sys.argv[1:])
