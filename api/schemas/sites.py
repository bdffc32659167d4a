"""What is told of the reading of whole sites."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from store.crawl.site_reads import SiteReadStatus


class SiteReadOut(BaseModel):
    """How far the reading of a whole site has come; the counts are of pages."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    url: str
    prefix: str = Field(description="What the URLs of its pages begin with.")
    status: SiteReadStatus
    reason: str | None = Field(description="Why it ended.")
    again: bool = Field(description="Whether pages that were read before are looked at too.")
    source_id: int | None = Field(description="The source whose schedule asked for it.")
    max_pages: int
    max_depth: int
    found: int
    looked_at: int
    new: int = Field(description="With a text that was not known.")
    unchanged: int
    left_out: int = Field(description="Forbidden by the site, gone, or without text.")
    failed: int
    bytes: int
    embedding: int = Field(description="Those that wait to be in the knowledge base; told of one site read alone.")
    active_s: float = Field(description="Seconds it was worked on, pauses left out.")
    pages_per_s: float
    left_s: float | None = Field(description="About how many seconds are left; null while that cannot be told.")
    created_at: datetime
    finished_at: datetime | None
