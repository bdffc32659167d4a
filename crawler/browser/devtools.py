"""Speak the DevTools protocol over a pair of pipes: calls with their answers, and the browser's events."""

import asyncio
import json
import os
from asyncio.streams import FlowControlMixin
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from crawler.browser.process import BrowserProcess
from domain.errors import WellreadError

#: bytes of one message; the page controls what the browser sends, so it is bounded too
MAX_MESSAGE = 64_000_000

#: called with each event's method and parameters
OnEvent = Callable[[str, dict[str, Any]], None]


class BrowserFailed(WellreadError):
    """The browser ended, or refused a command."""


class DevTools:
    """A connection to a browser, with a session for each of its targets."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        reading: asyncio.BaseTransport,
        writer: asyncio.StreamWriter,
        on_event: OnEvent,
    ) -> None:
        self._reader, self._reading, self._writer, self._on_event = reader, reading, writer, on_event
        self._count = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._listening = asyncio.ensure_future(self._listen())

    @classmethod
    async def connect(cls, browser: BrowserProcess, on_event: OnEvent) -> Self:
        """Connect to a browser's pipes; ``on_event`` is called with every event."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=MAX_MESSAGE)
        answers, commands = os.fdopen(browser.answers, "rb", 0), os.fdopen(browser.commands, "wb", 0)
        reading, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), answers)
        transport, protocol = await loop.connect_write_pipe(FlowControlMixin, commands)
        return cls(reader, reading, asyncio.StreamWriter(transport, protocol, None, loop), on_event)

    async def call(self, method: str, *, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Call a method, of the session or else of the browser, and return its result; raises BrowserFailed."""
        self._count += 1
        number = self._count
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            if self._listening.done():
                raise BrowserFailed("The browser ended.")
            self._writer.write(json.dumps(message).encode() + b"\0")
            await self._writer.drain()
            return await answer
        except ConnectionError as error:
            raise BrowserFailed("The browser ended.") from error
        finally:
            del self._waiting[number]

    async def close(self) -> None:
        """Close the pipes; the browser then ends."""
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening
        if not self._writer.transport.is_closing():  # a browser that ended has closed it
            self._writer.transport.abort()
        self._reading.close()
        await asyncio.sleep(0)  # the pipes close in the loop's next round

    async def _listen(self) -> None:
        try:
            while True:
                self._receive(json.loads((await self._reader.readuntil(b"\0"))[:-1]))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError) as error:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(BrowserFailed(f"The browser ended ({type(error).__name__})."))

    def _receive(self, message: dict[str, Any]) -> None:
        if "id" not in message:
            self._on_event(str(message.get("method", "")), message.get("params", {}))
            return
        answer = self._waiting.get(message["id"])
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(BrowserFailed(f"The browser refused: {message['error'].get('message', '')}"))
        else:
            answer.set_result(message.get("result", {}))
