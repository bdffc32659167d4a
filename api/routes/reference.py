"""Serves /docs, where people read and try the API: Swagger UI with its own files, none from another host."""

from __future__ import annotations

from pathlib import Path

import fastapi_offline
from fastapi import APIRouter
from fastapi.responses import FileResponse

from api.routes.web import send

router = APIRouter(include_in_schema=False)

_OWN = Path(__file__).parents[1] / "web" / "reference"
_SWAGGER_UI = Path(fastapi_offline.__file__).parent / "static"


@router.get("/docs")
def index() -> FileResponse:
    """The page itself."""
    return send(_OWN / "index.html", "text/html")


@router.get("/docs/start.js")
def start() -> FileResponse:
    """What opens the description."""
    return send(_OWN / "start.js", "text/javascript")


@router.get("/docs/swagger-ui-bundle.js")
def script() -> FileResponse:
    """What shows it."""
    return send(_SWAGGER_UI / "swagger-ui-bundle.js", "text/javascript")


@router.get("/docs/swagger-ui.css")
def style() -> FileResponse:
    """How it looks."""
    return send(_SWAGGER_UI / "swagger-ui.css", "text/css")
