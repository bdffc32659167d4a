"""Ask ten questions of the Python documentation end to end: all of Wellread, an empty knowledge base, real pages.

The documentation (Debian: python3.11-doc) is served on loopback. All questions are asked, then asked again in other
words. An answer is right when it contains the expected text; every quote is compared with its stored page.
"""

from __future__ import annotations

import csv
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from api.cli.demo.alone import isolated_in, started_stack
from api.cli.demo.site_server import serve
from domain import Status
from wellread import Client, Record
from workers.processes.supervise import wait_until

QUESTIONS = Path(__file__).parents[1] / "sets" / "docs_questions.tsv"
DELAY_S = 0.2
ANSWER_WITHIN_S = 300.0

FINAL = {status.value.lower() for status in Status if status.is_final}

Outcome = Literal["right", "beside the point", "not known"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result of one question."""

    record: Record
    outcome: Outcome
    crawled: bool
    citations_hold: bool
    seconds: float


@click.command()
@click.option("--docs", type=click.Path(path_type=Path, exists=True), default="/usr/share/doc/python3.11/html")
@click.option("--limit", type=int, default=10)
def main(docs: Path, limit: int) -> None:
    """Ask, ask again in other words, and count."""
    with QUESTIONS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[:limit]
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(docs.absolute()) as site,
        isolated_in(Path(folder)),
        started_stack() as (_, client),
    ):
        client.add_source(site.origin, own=True, min_delay_s=DELAY_S)
        for wording in ("question", "paraphrase"):
            findings = [_show(_ask(client, row[wording], row["expected"].split("|"))) for row in rows]
            click.echo(f"{wording}s: {'; '.join(_counted(findings))}\n")


def _ask(client: Client, question: str, expected: list[str]) -> Finding:
    started = time.monotonic()
    question_id = client.submit(question)
    wait_until(lambda: client.get(question_id).status.lower() in FINAL, within_s=ANSWER_WITHIN_S)
    record = client.get(question_id)
    pages = {citation.page_id: client.page(citation.page_id).text for citation in record.citations}
    text = " ".join([record.answer or "", *(citation.quote for citation in record.citations)])
    right = any(each.casefold() in text.casefold() for each in expected)
    answered = record.status.lower() == "answered"
    return Finding(
        record=record,
        outcome="not known" if not answered else "right" if right else "beside the point",
        crawled=record.online_search_triggered,
        citations_hold=all(pages[c.page_id][c.start : c.end] == c.quote for c in record.citations),
        seconds=time.monotonic() - started,
    )


def _show(finding: Finding) -> Finding:
    record = finding.record
    read = f"{len(record.live_urls)} pages read" if finding.crawled else "no crawl"
    click.echo(
        f"{finding.outcome:16} {finding.seconds:5.1f} s  {read:14} confidence {record.confidence or 0:.2f}"
        f"  {record.question}\n    {' '.join((record.answer or '').split())[:200]}"
    )
    return finding


def _counted(findings: list[Finding]) -> Iterator[str]:
    for outcome, count in Counter(finding.outcome for finding in findings).items():
        yield f"{count} {outcome}"
    yield f"{sum(not finding.crawled for finding in findings)} without a crawl"
    cited = [finding for finding in findings if finding.record.citations]
    yield f"quotes are in their pages in {sum(finding.citations_hold for finding in cited)} of {len(cited)}"


if __name__ == "__main__":
    main()
