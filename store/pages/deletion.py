"""Delete a page with all that was derived from it; its row is emptied at once, and goes when its words are erased."""

import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import String, bindparam, cast, delete, or_, select
from sqlalchemy.orm import Session

from domain.site import SiteScope
from store.pages import duplicates, history, refresh_queue, visibility
from store.sql.rows import delete_rows, update_rows
from store.sql.tables import (
    AnswerRow,
    CandidateRow,
    DocumentRow,
    EntityRow,
    FactRow,
    FeedbackRow,
    IndexState,
    LinkRow,
    MentionRow,
    PageCheckRow,
    PageRow,
    PageVersionRow,
    PrivateReadRow,
    QuestionRow,
    RedirectRow,
    StepRow,
)
from text.sentences import OPENING

#: what an answer says whose page was deleted
WITHDRAWN = "This answer was withdrawn: a page that it was drawn from was deleted."
#: what is deleted is gone, too: that has an index
_DELETED = PageRow.gone_at.is_not(None) & PageRow.deleted_at.is_not(None)


def delete_page(session: Session, page_id: int, now: datetime) -> set[str]:
    """Empty a page, withdraw the answers drawn from it and clear their traces; return those questions."""
    row = session.get(PageRow, page_id, with_for_update=True)
    if row is None or row.deleted_at is not None:
        return set()
    asked = _withdraw_answers(session, page_id, row.url, now)
    addresses = _urls_leading_to(session, page_id, row.url)
    asked |= _clear_traces(session, page_id, addresses, asked)
    _forget_words(session, row, addresses, asked)
    _delete_names(session, page_id)
    for table in (FactRow, PageCheckRow, PageVersionRow, DocumentRow):
        session.execute(delete(table).where(table.page_id == page_id))
    session.execute(delete(LinkRow).where(LinkRow.from_url.in_(addresses)))
    session.execute(delete(PrivateReadRow).where(PrivateReadRow.url.in_(addresses)))
    session.execute(delete(RedirectRow).where(or_(RedirectRow.url.in_(addresses), RedirectRow.to_url.in_(addresses))))
    row.url, row.title, row.text, row.canonical_url = f"deleted:{page_id}", "", "", ""
    row.headings, row.blocks, row.places, row.missing, row.tags = [], [], [], [], []
    row.etag = row.last_modified = row.content_hash = row.body_hash = ""
    row.band_0 = row.band_1 = row.band_2 = row.band_3 = None
    row.gone_at = row.deleted_at = now
    row.next_due, row.duplicate_of = now + refresh_queue.NEVER, None
    duplicates.make_due(session, page_id, now)
    duplicates.wait_for_index(row, now)
    session.flush()
    return asked


def purge(session: Session, page_ids: Sequence[int]) -> None:
    """Remove the rows of deleted pages whose passages are gone, from the disk too."""
    delete_rows(session, PageRow, PageRow.id.in_(page_ids), PageRow.deleted_at.is_not(None))


def with_passages(session: Session, page_ids: Sequence[int]) -> set[int]:
    """Return those of these pages that are deleted, but whose passages are not gone yet."""
    deleted = select(PageRow.id).where(_DELETED, PageRow.state != IndexState.INDEXED)
    return set(session.scalars(deleted.where(PageRow.id.in_(page_ids))))


def without_passages(session: Session) -> list[int]:
    """Return the deleted pages that no search finds any more, but whose words may still be on the disk."""
    return list(session.scalars(select(PageRow.id).where(_DELETED, PageRow.state == IndexState.INDEXED)))


def is_any_left(session: Session) -> bool:
    """Return whether the row of a deleted page is there yet."""
    return session.scalar(select(PageRow.id).where(_DELETED).limit(1)) is not None


def not_deleted(session: Session, page_ids: Sequence[int]) -> set[int]:
    """Return those of these pages that are there and not deleted."""
    return set(session.scalars(_THERE, {"pages": page_ids}))


_THERE = select(PageRow.id).where(PageRow.id.in_(bindparam("pages", expanding=True)), PageRow.deleted_at.is_(None))


def _withdraw_answers(session: Session, page_id: int, url: str, now: datetime) -> set[str]:
    """Empty every revision that cites the page, names its address, or was made with a passage of it."""
    drawn = or_(
        cast(AnswerRow.citations, String).like(f'%"page_id": {page_id},%'),
        cast(AnswerRow.citations, String).like(f'%"passage_id": "{page_id}-%'),
        cast(AnswerRow.context, String).like(f'%"passage_id": "{page_id}-%'),
        cast(AnswerRow.structured, String).like(f'%"page_id": {page_id},%'),  # a form's values have hits of their own
        AnswerRow.text.contains(f"({url})", autoescape=True),  # among the nearest of what is not known
    )
    found = session.scalars(select(AnswerRow).where(drawn)).all()
    for answer in found:
        answer.text, answer.notice, answer.confidence = WITHDRAWN, "", 0.0
        answer.sentences, answer.citations, answer.context, answer.verdict = [], [], [], {}
        answer.structured, answer.related = None, []
        answer.stale_at = answer.stale_at or now
        is_of_it = FeedbackRow.revision == answer.revision
        delete_rows(session, FeedbackRow, FeedbackRow.question_id == answer.question_id, is_of_it)
    question_ids = {answer.question_id for answer in found}
    # later questions of these threads are as they were asked: they were completed perhaps with words of the answers
    threads = select(QuestionRow.thread_id).where(QuestionRow.id.in_(question_ids), QuestionRow.thread_id.is_not(None))
    completed = (QuestionRow.thread_id.in_(threads), QuestionRow.asked.is_not(None))
    for row in session.scalars(select(QuestionRow).where(*completed)):
        row.text, row.asked, row.equal_key = row.asked or row.text, None, ""
        row.queries, row.variants = [], []
    return question_ids


def _urls_leading_to(session: Session, page_id: int, url: str) -> set[str]:
    """Return the page's URL and those that redirect to it; a page of its own with the same text is none of them."""
    others = select(CandidateRow.url).where(CandidateRow.page_id == page_id, CandidateRow.url != url)
    own = select(PageRow.url).where(PageRow.url == CandidateRow.url)
    return {url, *session.scalars(others.where(~own.exists()).distinct())}


def _clear_traces(session: Session, page_id: int, addresses: set[str], withdrawn: set[str]) -> set[str]:
    """Keep of the steps that saw the page only what they cost; drop the candidates with its ``addresses``.

    Return the questions, with those whose answers were ``withdrawn``.
    """
    to_page = or_(CandidateRow.page_id == page_id, CandidateRow.url.in_(addresses))
    asked = withdrawn | {id for id in session.scalars(select(CandidateRow.question_id).where(to_page)) if id}
    named = cast(StepRow.detail, String)
    passage = named.like(f'%"passage": "{page_id}-%')
    # with the quote that ends it
    names_it = [named.contains(json.dumps(url)[1:], autoescape=True) for url in sorted(addresses)]
    seen = or_(passage, *names_it, StepRow.question_id.in_(asked))
    for step in session.scalars(select(StepRow).where(seen)):
        step.detail = {name: step.detail[name] for name in ("cost", "seconds") if name in step.detail}
        asked.add(step.question_id)
    delete_rows(session, CandidateRow, to_page)
    return asked


def _forget_words(session: Session, row: PageRow, addresses: set[str], asked: set[str]) -> None:
    """Clear what names the page: reasons why the web was read or other pages are gone, and what waits for a model.

    A question without what a model was to do is looked up again.
    """
    named = [QuestionRow.crawl_reason.contains(f"{mark}{row.title or row.url}", autoescape=True) for mark in OPENING]
    of_asked = or_(QuestionRow.id.in_(asked), QuestionRow.leader_id.in_(asked), *named)
    update_rows(session, QuestionRow, QuestionRow.crawl_reason.is_not(None), of_asked, crawl_reason=None)
    update_rows(session, PageCheckRow, PageCheckRow.reason == history.moved_to(row.url), reason="it moved")
    draft = cast(QuestionRow.draft, String)
    drafted = or_(*(draft.contains(json.dumps(url)[1:-1], autoescape=True) for url in sorted(addresses)))
    update_rows(session, QuestionRow, drafted, draft={})


def moved_to(session: Session, page_id: int) -> list[int]:
    """Return the pages that are gone because their URLs lead to this one: they said what it says."""
    url = session.scalar(select(PageRow.url).where(PageRow.id == page_id)) or ""
    moved = select(PageCheckRow.page_id).where(PageCheckRow.reason == history.moved_to(url))
    return list(session.scalars(select(PageRow.id).where(PageRow.id.in_(moved), PageRow.gone_at.is_not(None))))


def _delete_names(session: Session, page_id: int) -> None:
    """Delete the page's mentions, and the names that no other page has."""
    named = list(session.scalars(select(MentionRow.entity_id).where(MentionRow.page_id == page_id).distinct()))
    session.execute(delete(MentionRow).where(MentionRow.page_id == page_id))
    for entity_id in named:
        if session.scalar(select(MentionRow.page_id).where(MentionRow.entity_id == entity_id).limit(1)) is None:
            session.execute(delete(EntityRow).where(EntityRow.id == entity_id))


def under(session: Session, prefix: str) -> list[int]:
    """Return the pages whose URL begins with the prefix."""
    return list(session.scalars(select(PageRow.id).where(PageRow.url.startswith(prefix, autoescape=True))))


def covered(session: Session, site: SiteScope, others: Sequence[SiteScope]) -> list[int]:
    """Return the pages of a site that belong to none of the other sites, without those that programs pushed."""
    of_site = visibility.under(PageRow.url, [site]) & ~visibility.is_pushed()
    found = session.execute(select(PageRow.id, PageRow.url).where(of_site)).all()
    # asked again: some databases compare without regard to case
    return [page_id for page_id, url in found if site.covers(url) and not any(other.covers(url) for other in others)]
