"""Answers a question in one request, which waits for the answer."""

import anyio
from anyio import to_thread
from fastapi import APIRouter, Depends, Response

from api.dependencies import AccessDep, ReaderDep, WaitingDep, check_waiting, listening, read_record
from api.middleware.auth import CallerDep, StillOpenDep, require
from api.schemas.requests import ChatRequest
from api.streams import checked, final_record
from domain.access.key import Role
from domain.record import Record
from workers.questions import submit
from workers.questions.asked import to_new
from workers.services import Services

router = APIRouter(prefix="/api", tags=["questions"], dependencies=[Depends(check_waiting), Depends(require(Role.ask))])


@router.post("/chat", responses={202: {"model": Record}})
async def chat(
    body: ChatRequest,
    access: AccessDep,
    reader: ReaderDep,
    waiting: WaitingDep,
    response: Response,
    who: CallerDep,
    still_open: StillOpenDep,
) -> Record:
    """Ask and wait up to `wait` seconds. 200: the final answer. 202: still worked on, `answer` may be provisional.

    Whoever hangs up loses nothing: the question goes on, and its record stands at the Location.
    """
    asked_at = anyio.current_time()

    def ask() -> tuple[Services, Record]:
        opened = access.open(body.collection)
        new = to_new(body, submit.default_budget(opened), private=who.role < Role.operate, owner=who.owner)
        return opened, read_record(opened, submit.submit(opened, new)[0].id)

    services, asked = await to_thread.run_sync(ask)
    read = checked(still_open, lambda: read_record(services, asked.id))

    within_s = 0.0 if body.queued else body.wait - (anyio.current_time() - asked_at)
    record = await final_record(listening(reader, services), asked, read, within_s=within_s, waiting=waiting)
    response.headers["Location"] = f"/api/questions/{record.id}"
    response.status_code = 200 if record.status.is_final else 202
    return record
