"""Serves the web page, which loads no script or style from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from fastapi import APIRouter
from fastapi.responses import FileResponse

router = APIRouter(include_in_schema=False)

_FOLDER = Path(__file__).parents[1] / "web"
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
    """The page itself."""
    return send(_FOLDER / "index.html", "text/html")


@router.get("/{name}.js")
def script(name: Literal["app", "answer", "parts", "sites"]) -> FileResponse:
    """What it does."""
    return send(_FOLDER / f"{name}.js", "text/javascript")


@router.get("/style.css")
def style() -> FileResponse:
    """How it looks."""
    return send(_FOLDER / "style.css", "text/css")


def send(path: Path, media_type: str) -> FileResponse:
    """Return a file with a policy that lets nothing of another host in."""
    return FileResponse(path, media_type=media_type, headers=_HEADERS)
