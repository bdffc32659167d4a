"""Makes an answer fit to be published: its citations stand in the stored pages, and its notices say what they lack."""

from domain import Answer, Question
from pipeline.answering.citations import check, located
from pipeline.answering.notices import disagreement_notice, outdated_notice, partly_read_notice, with_notices
from store.crawl import sources
from store.pages import pages
from store.questions import evidence
from workers.services import Services


def checked(services: Services, answer: Answer, lang: str) -> Answer:
    """Return an answer with the citations that are verbatim in the stored pages, and what these disagree about."""
    with services.database.read() as session:
        cited = [citation.page_id for citation in answer.citations]
        texts, cited_pages = pages.texts(session, cited), pages.cited(session, cited)
    answer = located(check(answer, texts.get, lang=lang), cited_pages)
    disagreement = disagreement_notice(answer, lang, own_sites(services))
    return with_notices(answer, disagreement, partly_read_notice(answer, cited_pages, lang))


def with_age(services: Services, question: Question, answer: Answer, lang: str) -> Answer:
    """Add a notice to an answer if its pages are older than the question allows."""
    oldest = evidence.oldest_for(question, services.now())
    return with_notices(answer, outdated_notice(answer, oldest, lang)) if oldest is not None else answer


def own_sites(services: Services) -> tuple[str, ...]:
    """Return the folders and pages of the operator's sources."""
    with services.database.read() as session:
        return tuple(site for source in sources.list_all(session) for site in source.scope.sites)
