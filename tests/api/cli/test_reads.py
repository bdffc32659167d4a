"""The readings of whole sites are told apart by when they began, and who asked for them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from api.cli import reads
from api.cli.reads import site_read_lines
from api.cli.width import Style
from domain.site import SiteRead, SiteReadStatus
from tests.api.cli.command import wellread

READ = SiteRead(
    id=3, url="https://e.org/", prefix="https://e.org/", status=SiteReadStatus.DONE, reason="", again=True,
    source_id=None, max_pages=100, max_depth=20, found=1, looked_at=1, new=1, unchanged=0, left_out=0, failed=0,
    bytes=4_200, embedding=0, active_s=2.0, pages_per_s=0.5, left_s=None,
    created_at=datetime(2026, 11, 23, 9, 0, tzinfo=UTC), finished_at=None,
)  # fmt: skip


def test_reading_says_when_it_began_and_how_much_it_read() -> None:
    _, progress, told = site_read_lines(READ, Style())
    assert progress.startswith("    1 of 1 page found")
    assert told.startswith("    begun 2026-11-23 ")
    assert told.endswith(", 4 kB in 2 s")


def test_pages_that_wait_to_be_embedded_are_not_done_yet() -> None:
    half = replace(READ, found=40, looked_at=40, embedding=20, left_s=12.4)
    assert reads._bar(half) == "[##########··········]"
    assert site_read_lines(half, Style())[1].endswith("about 12 s left  20 being indexed")
    assert reads._bar(replace(READ, found=0, looked_at=0)) == f"[{'·' * 20}]"


def test_reading_of_a_schedule_is_told_from_one_that_was_asked_for() -> None:
    told = site_read_lines(replace(READ, source_id=1, left_out=2, bytes=12_000_000), Style())[2]
    assert told.startswith("    by its schedule 2026-11-23 ")
    assert told.endswith(", 12.0 MB in 2 s, 2 left out: forbidden, gone, behind a login or without text")


def test_all_pages_are_not_deleted_below_no_url() -> None:
    refused = wellread("delete", "", "--whole")
    assert refused.exit_code == 2
    assert "Name the URL" in refused.output
