"""Makes an answer fit to be published: its citations stand in the stored pages, and its notices say what they lack."""

from domain import Answer, Question
from pipeline.answering.citations import check, located, outdated_notice, partly_read_notice, with_notices
from store.pages import pages
from store.questions import answers
from workers.services import Services


def checked(services: Services, answer: Answer, lang: str) -> Answer:
    """Return an answer with the citations that are verbatim in the stored pages; a notice names those read in part."""
    with services.database.read() as session:
        cited = [citation.page_id for citation in answer.citations]
        texts, cited_pages = pages.texts(session, cited), pages.cited(session, cited)
    answer = located(check(answer, texts.get, lang=lang), cited_pages)
    return with_notices(answer, partly_read_notice(answer, cited_pages, lang))


def with_age(services: Services, question: Question, answer: Answer, lang: str) -> Answer:
    """Add a notice to an answer if its pages are older than the question allows."""
    oldest = answers.oldest_for(question, services.now())
    return with_notices(answer, outdated_notice(answer, oldest, lang)) if oldest is not None else answer
