"""The queue ``model``: what waits for other services, in threads, so that it holds no process."""

from domain.access import DEFAULT
from workers.app import app
from workers.questions import batches, webhooks, writing
from workers.services import services
from workers.services.collections import for_each


@app.task(name="wellread.write")
def write(question_id: str, collection: str = DEFAULT) -> None:
    """Ask the model what the question's draft says: other wordings, or the answer, checked against its quotes."""
    writing.write(services(collection), question_id)


@app.task(name="wellread.notify")
def notify_caller(webhook_id: int, collection: str = DEFAULT) -> None:
    """Deliver a webhook."""
    webhooks.deliver(services(collection), webhook_id)


@app.task(name="wellread.batch")
def send_batches() -> None:
    """Send the requests to a model that wait for a batch, and read the batches that have ended."""
    for_each(services(), batches.run)
