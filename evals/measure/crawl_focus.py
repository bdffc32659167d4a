"""Measure how soon a crawl of a site without a sitemap reads the page that answers: ours beside breadth-first.

Two manuals (Debian: python3.11-doc, postgresql-doc-15), twenty questions each. ``focus.tsv`` names their gold pages,
which were chosen before anything was measured. ``focus_own_words.tsv`` has fifty questions in people's own words about
two more (exim4-doc-html, lilypond-doc-html), each written for a passage of its gold page. Both crawls start at the
front page and count every page they read. Ours is the workers' own: waves chosen by ``workers.crawl.seek`` from the
links of the pages read so far.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from statistics import fmean

import click

from crawler.discovery.frontier import leads_to_text
from crawler.extract.document import NothingToRead, extract
from domain import Link, Question, Status
from domain.site import SiteScope
from evals.sets.sites import read_tsv
from pipeline.question.analysis import analyse_question
from pipeline.question.variants import make_variants
from store.pages.links import KnownLink
from workers.crawl.seek import Known, choose
from workers.services.pipeline import LinkVectors
from workers.settings import Settings

_QUESTIONS = Path(__file__).parents[1] / "sets" / "focus.tsv"
#: other questions, on which the frontier's weights were chosen
_TUNING = Path(__file__).parents[1] / "sets" / "focus_tuning.tsv"
MANUALS = {
    "python": Path("/usr/share/doc/python3.11/html"),
    "postgresql": Path("/usr/share/doc/postgresql-doc-15/html"),
    "exim": Path("/usr/share/doc/exim4-doc-html/spec_html"),
    "lilypond": Path("/usr/share/doc/lilypond/html/Documentation/learning"),
}
#: in people's own words, which seldom share words with an anchor
OWN_WORDS = Path(__file__).parents[1] / "sets" / "focus_own_words.tsv"
#: a gold page must be read within so many pages, the front page included
WITHIN = 10
_VECTORS = LinkVectors()
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class FocusQuestion:
    """A question and the pages that answer it; each is enough."""

    site: str
    text: str
    gold: frozenset[str]  #: paths within the site


@dataclass(frozen=True, kw_only=True)
class FocusResult:
    """The number of pages each crawl read up to a gold page; 0 where none was read in time."""

    site: str
    question: str
    best_first: int
    breadth_first: int


class Manual:
    """A site in a folder; the links of a page are read once."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self.front = f"https://{name}.example/"  #: the front page's URL
        self._links: dict[str, tuple[Link, ...]] = {}

    def path(self, url: str) -> str:
        """Return the path of a URL's file within the site, without its suffix."""
        path = url.removeprefix(self.front).partition("?")[0] or "index.html"
        return str(PurePosixPath(path).with_suffix(""))

    def links(self, url: str) -> tuple[Link, ...]:
        """Return the links of a page; none where there is no such page."""
        if url not in self._links:
            self._links[url] = self._read(url)
        return self._links[url]

    def _read(self, url: str) -> tuple[Link, ...]:
        file = self._folder / f"{self.path(url)}.html"
        if not url.startswith(self.front) or not file.is_file():
            return ()
        try:
            page = extract(file.read_bytes(), url=url, content_type="text/html; charset=utf-8")
        except NothingToRead:
            return ()
        return tuple(link for link in page.links if not link.nofollow)


def read_questions(file: Path = _QUESTIONS) -> list[FocusQuestion]:
    """Read the questions and their gold pages."""
    rows = read_tsv(file)
    return [FocusQuestion(site=r["site"], text=r["question"], gold=frozenset(r["gold"].split())) for r in rows]


def best_first(manual: Manual, question: str, limit: int) -> Iterator[str]:
    """Yield the pages that a question's crawl reads, in order."""
    crawled, known = _question(question), list[KnownLink]()
    depths, read = {manual.front: 0}, list[str]()
    similarity = _VECTORS.similarity_to(question, crawled.lang)
    while len(read) < limit:
        limit_of_wave = min(int(Settings.model_fields["wave_pages"].default), limit - len(read))
        latest_first = known[::-1]  # as SQL returns them
        stored = Known(links=latest_first, sites=(SiteScope.of(manual.front),), seen=frozenset(read))
        wave, _ = choose(crawled, stored, (), most=limit_of_wave, similarity=similarity)
        if not wave:
            return
        if any(candidate.origin != "seed" for candidate in wave):
            crawled = replace(crawled, cycle=crawled.cycle + 1)
        for candidate in wave:
            read.append(candidate.url)
            yield candidate.url
            depth = depths.setdefault(candidate.url, candidate.depth)
            known += [
                KnownLink(link=link, depth=depth + 1, from_url=candidate.url) for link in manual.links(candidate.url)
            ]


def breadth_first(manual: Manual, question: str, limit: int) -> Iterator[str]:
    """Yield the pages in breadth-first order."""
    waiting, seen = [manual.front], {manual.front}
    for place in range(limit):
        if place >= len(waiting):
            return
        yield waiting[place]
        new = dict.fromkeys(link.url for link in manual.links(waiting[place]))
        waiting += [url for url in new if url not in seen and url.startswith(manual.front) and leads_to_text(url)]
        seen.update(waiting)


def measure(manuals: dict[str, Path], within: int = WITHIN, questions: Path = _QUESTIONS) -> list[FocusResult]:
    """Crawl for each question, both ways."""
    sites = {name: Manual(folder, name) for name, folder in manuals.items() if folder.is_dir()}
    return [
        FocusResult(
            site=each.site,
            question=each.text,
            best_first=_place(best_first, sites[each.site], each, within),
            breadth_first=_place(breadth_first, sites[each.site], each, within),
        )
        for each in read_questions(questions)
        if each.site in sites
    ]


def _place(
    crawl: Callable[[Manual, str, int], Iterator[str]], manual: Manual, question: FocusQuestion, within: int
) -> int:
    urls = enumerate(crawl(manual, question.text, within), start=1)
    return next((place for place, url in urls if manual.path(url) in question.gold), 0)


def _question(text: str) -> Question:
    """Return the question as it is when its crawl starts: analysed, with its variants."""
    analysis = analyse_question(text)
    return Question(
        id="focus",
        text=text,
        lang=analysis.lang,
        status=Status.SEEKING,
        created_at=_NOW,
        deadline=_NOW + timedelta(minutes=2),
        queries=(text, *(variant.text for variant in make_variants(analysis))),
    )


@click.command()
@click.option("--within", type=click.IntRange(min=1), default=WITHIN, show_default=True, help="The most pages to read.")
@click.option("--tuning", is_flag=True, help="Ask the questions on which the weights were chosen.")
@click.option("--own-words", is_flag=True, help="Ask in people's own words, about two other manuals.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default="/",
    help="Where the manuals' packages are installed or unpacked.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def main(within: int, tuning: bool, own_words: bool, root: Path, as_json: bool) -> None:
    """Print for each question how many pages each crawl read up to a gold page."""
    manuals = {name: root / folder.relative_to("/") for name, folder in MANUALS.items()}
    found = measure(manuals, within, OWN_WORDS if own_words else _TUNING if tuning else _QUESTIONS)
    if not found:
        raise click.ClickException(
            "No manual is there: apt-get install python3.11-doc postgresql-doc-15 exim4-doc-html lilypond-doc-html"
        )
    shares = {
        site: {
            way: fmean(getattr(each, way) > 0 for each in found if each.site == site)
            for way in ("best_first", "breadth_first")
        }
        for site in dict.fromkeys(each.site for each in found)
    }
    if as_json:
        click.echo(
            json.dumps({"within": within, "shares": shares, "found": [asdict(each) for each in found]}, indent=1)
        )
        return
    for each in found:
        click.echo(f"{each.best_first or '-':>3} {each.breadth_first or '-':>3}  {each.site}: {each.question}")
    for site, of in shares.items():
        click.echo(
            f"{site}: read within {within} pages: ours {of['best_first']:.0%}, breadth-first {of['breadth_first']:.0%}"
        )


if __name__ == "__main__":
    main(prog_name="python -m evals.measure.crawl_focus")
