"""The queue ``crawl``: finds pages and reads them."""

from domain import Status
from domain.access import DEFAULT
from workers import files
from workers.app import app
from workers.crawl import read_candidate as reading
from workers.crawl import seek as seeking
from workers.questions.step import step
from workers.services import services


@app.task(name="wellread.seek")
def seek(question_id: str, collection: str = DEFAULT) -> None:
    """Find pages that may answer, and choose the next wave of candidates."""
    ready = services(collection)
    with step(ready, question_id, Status.SEEKING) as work:
        if work is not None:
            seeking.seek(ready, work)


@app.task(name="wellread.read")
def read(candidate_id: int, collection: str = DEFAULT) -> None:
    """Read one candidate: guard, robots, politeness, fetch, extract, facts, links."""
    reading.read(services(collection), candidate_id)


@app.task(name="wellread.look")
def look(folder_id: int, collection: str = DEFAULT) -> None:
    """Look through a folder of a repository or bucket."""
    files.look_through_one(services(collection), folder_id)
