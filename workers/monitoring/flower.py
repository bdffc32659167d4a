"""Flower as this product runs it: read-only, and on loopback for requests that name loopback alone.

A page elsewhere whose name resolves to this machine could otherwise read what Flower shows here (DNS rebinding).
"""

from typing import Any
from urllib.parse import urlsplit

from flower import command
from flower.app import Flower
from flower.views.error import NotFoundErrorHandler

from workers.app import app
from workers.settings import LOOPBACK, Settings


class LoopbackFlower(Flower):  # type: ignore[misc]
    """Answers requests whose Host is loopback; any other with 404."""

    def find_handler(self, request: Any, **kwargs: Any) -> Any:
        """Return what answers a request."""
        if urlsplit(f"//{request.host}").hostname in LOOPBACK:
            return super().find_handler(request, **kwargs)
        return self.get_handler_delegate(request, NotFoundErrorHandler)


def run(settings: Settings) -> None:
    """Run Flower until it is stopped."""
    if settings.flower_host in LOOPBACK:
        command.Flower = LoopbackFlower
    app.start(["flower", f"--address={settings.flower_host}", f"--port={settings.flower_port}", "--read_only=True"])
