"""What the pages say of the code is compared with it, and their links lead somewhere."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk import environment_variables

from domain import Status
from tests.docs.blocks import PAGES, ROOT, Block, blocks
from workers.settings import Settings

#: names that look like environment variables and are none: statuses, places in examples, names of code and of the
#: design documents; and variables that others read (LanceDB those of Amazon's S3)
NOT_VARIABLES = {"QUESTION_ID", "TIMED_OUT", "MIN_SIMILARITY_FLOOR", "RUN_WHOLE", "NOT_RUN"}
NOT_VARIABLES |= {"FLOWER_UNAUTHENTICATED_API"}
NOT_VARIABLES |= {f"AWS_{name}" for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "REGION", "ENDPOINT", "ALLOW_HTTP")}
NOT_VARIABLES |= {"SSL_CERT_FILE", "SSL_CERT_DIR"}  # of OpenSSL

#: paths that a contributor makes
ADVICE = {
    f"CONTRIBUTING.md: {path}"
    for path in ("store/embedders/NAME.py", "text/languages/CODE.toml", "workers/tasks/QUEUE.py")
}


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_json_parses(block: Block) -> None:
    json.loads(block.text)


def test_blocks_are_in_a_language_that_is_checked() -> None:
    fences = {
        mark for path in PAGES.values() for mark in re.findall(r"^```(\w+)$", path.read_text("utf-8"), re.MULTILINE)
    }
    assert fences == {"sh", "python", "json", "ini", "text", "mermaid", "ts"}


def test_flow_picture_shows_every_status() -> None:
    pictures = [block.text for block in blocks("", "mermaid") if "ASKED" in block.text and "sequence" not in block.text]
    (picture,) = pictures
    assert set(re.findall(r"\b[A-Z_]{5,}\b", picture)) == set(Status)


def test_every_environment_variable_named_exists() -> None:
    code = [path for room in ("api", "workers") for path in (ROOT / room).rglob("*.py")]
    sources = [path.read_text() for path in (*code, ROOT / "docker-compose.yml")]
    known = {f"WELLREAD_{name.upper()}" for name in Settings.model_fields}
    known |= {name for text in sources for name in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", text)}
    known |= {name for name in vars(environment_variables) if name.startswith("OTEL_")}
    named = {
        name
        for page, path in PAGES.items()
        if page != "docs/design-documents.md"
        for name in re.findall(r"(?<![\w/])[A-Z]+(?:_[A-Z]+)+\b", path.read_text("utf-8"))
    }
    assert named - known - NOT_VARIABLES == set()


def test_variables_of_an_env_file_are_settings() -> None:
    (block,) = blocks("ini")
    named = re.findall(r"^([A-Z_]+)=", block.text, re.MULTILINE)
    assert named
    assert set(named) <= {f"WELLREAD_{name.upper()}" for name in Settings.model_fields}


def test_links_lead_somewhere() -> None:
    broken = []
    for name, path in PAGES.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
            place, _, anchor = target.partition("#")
            if place.startswith(("http://", "https://")):
                continue
            file = (path.parent / place) if place else path
            if not file.is_file() or (anchor and anchor not in _anchors(file)):
                broken.append(f"{name}: {target}")
    assert broken == []


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_paths_of_the_code_that_are_named_exist() -> None:
    packages = "|".join(path.parent.name for path in ROOT.glob("*/__init__.py"))
    missing = {
        f"{name}: {path}"
        for name, page in PAGES.items()
        if name != "CHANGELOG.md"  # which tells of earlier versions
        for path in re.findall(rf"`((?:{packages})/[\w./-]+)`", page.read_text("utf-8"))
        if not (ROOT / path).exists()
    }
    assert missing - ADVICE == set()


def test_transcript_is_of_this_demonstration_and_shows_right_answers() -> None:
    (shown,) = [
        " ".join(block.text.split()) for block in blocks("text") if "Side by" in block.text or "Checked" in block.text
    ]
    script = json.loads((ROOT / "api/cli/demo/questions.json").read_text("utf-8"))
    for asked in ("question", "paraphrase", "unanswered"):
        assert script[asked] in shown
    assert shown.count(script["expected"]) >= 2
    assert "FAILED" not in shown


def test_names_that_the_design_documents_page_gives_exist() -> None:
    given = re.findall(r"\| `([\w/]+\.py)` `(\w+)` \|", PAGES["docs/design-documents.md"].read_text("utf-8"))
    assert len(given) > 40
    defined = r"(?m)^\s*(?:async )?(?:def |class )?{}\b *[(:=]"
    assert [
        (path, name) for path, name in given if not re.search(defined.format(name), (ROOT / path).read_text())
    ] == []


def test_every_page_is_in_the_sites_navigation_once() -> None:
    def pages(part: object) -> list[str]:
        if isinstance(part, str):
            return [part]
        return [page for each in (part.values() if isinstance(part, dict) else part) for page in pages(each)]

    listed = pages(tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"])
    assert sorted(f"docs/{page}" for page in listed) == sorted(page for page in PAGES if page.startswith("docs/"))


@pytest.mark.parametrize("page", ["README.md", "docs/comparison.md", "docs/evals.md"])
def test_quality_that_is_told_is_what_was_measured_last(page: str) -> None:
    told = " ".join(PAGES[page].read_text("utf-8").partition("How good ")[2].split())
    *measured, _ = _percent(_measured()["all that only report"])
    assert [int(each) for each in re.findall(r"\d+(?= %)", told)[:3]] == measured


def test_table_of_the_sets_says_what_was_measured_last() -> None:
    told = re.findall(
        r"\(`([\w-]+)`\) \| (\d+) % \| (\d+) % \| (\d+) % \| (\d+) % \|", PAGES["docs/evals.md"].read_text("utf-8")
    )
    assert len(told) == 7
    for name, *percent in told:
        assert [int(each) for each in percent] == _percent(_measured()[name]), name


def _measured() -> dict[str, dict[str, str]]:
    """Return the rows of the table of every set: figures by their names."""
    measured = PAGES["evals/README.md"].read_text("utf-8").partition("<!-- asked: every set -->")[2]
    head, *rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in measured.splitlines() if line[:1] == "|"
    ]
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows[::-1] if len(row) == len(head)}


def _percent(figures: dict[str, str]) -> list[Any]:
    """Return right, wrong, declined, and of the unanswerable declined, in percent, as far as they were rounded."""
    right, wrong, withheld = (float(figures[of]) for of in ("right", "wrong", "unanswerable_withheld"))
    return [pytest.approx(100 * share, abs=0.55) for share in (right, wrong, 1 - right - wrong, withheld)]
