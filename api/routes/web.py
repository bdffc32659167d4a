"""Serves the web page, what it suggests to ask, and /docs; they load no script or style from elsewhere."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

from api.dependencies import ServicesDep
from api.middleware.auth import ASK
from api.middleware.problems import NotFound
from pipeline.answering.related import MOST, page_questions
from store.pages import pages

router = APIRouter(include_in_schema=False)

_FOLDER = Path(__file__).parents[1] / "web"
_MEDIA_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
#: the files that are served, by the path after /web/ and after /docs/: nothing else of any folder
_FILES = {path.relative_to(_FOLDER).as_posix(): path for path in _FOLDER.rglob("*.*") if path.suffix in _MEDIA_TYPES}
_SWAGGER_UI = Path(__file__).parents[1] / "swagger-ui"
_REFERENCE = {
    "start.js": _FOLDER / "reference" / "start.js",
    **{name: _SWAGGER_UI / name for name in ("swagger-ui-bundle.js", "swagger-ui.css")},
}
#: of the pages that came last, from which questions are suggested
_LOOKED_AT = 30
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",
}


@router.get("/")
def index() -> FileResponse:
    """The web page."""
    return _send(_FOLDER / "index.html")


@router.get("/web/{name:path}")
def part(name: str) -> FileResponse:
    """Its scripts and its style."""
    return _send(_FILES.get(name), name)


@router.get("/api/suggestions", dependencies=ASK)
def suggestions(services: ServicesDep) -> list[str]:
    """Questions that the pages added last answer, one of each page."""
    outlines = services.read(pages.outlines, _LOOKED_AT)
    first = [question for outline in outlines for question in page_questions(*outline)[:1]]
    return list(dict.fromkeys(first))[:MOST]


@router.get("/docs")
def reference() -> FileResponse:
    """Where people read and try the API: Swagger UI with its own files."""
    return _send(_FOLDER / "reference" / "index.html")


@router.get("/docs/{name}")
def reference_part(name: str) -> FileResponse:
    """What opens and shows it."""
    return _send(_REFERENCE.get(name), name)


def _send(path: Path | None, name: str = "") -> FileResponse:
    """Return a file with a policy that lets nothing of another host in."""
    if path is None:
        raise NotFound(f"There is no file {name[:100]!r} of the web page.")
    return FileResponse(path, media_type=_MEDIA_TYPES[path.suffix], headers=_HEADERS)
