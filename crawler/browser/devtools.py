"""The DevTools protocol over a pair of pipes: calls with their answers, and what the browser tells unasked."""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.streams import FlowControlMixin
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from crawler.browser.process import BrowserProcess
from domain.errors import WellreadError

#: of one message; the browser is a page's, and what it says is bounded too
MAX_MESSAGE = 64_000_000

#: what the browser tells: the method's name, its parameters
OnEvent = Callable[[str, dict[str, Any]], None]


class BrowserFailed(WellreadError):
    """The browser ended, or does not do what it is told."""


class DevTools:
    """A connection to a browser, and through it to its targets, each a session."""

    def __init__(
        self, reader: asyncio.StreamReader, reading: asyncio.BaseTransport, writer: asyncio.StreamWriter, told: OnEvent
    ) -> None:
        self._reader, self._reading, self._writer, self._told = reader, reading, writer, told
        self._count = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._listening = asyncio.ensure_future(self._listen())

    @classmethod
    async def connect(cls, browser: BrowserProcess, told: OnEvent) -> Self:
        """Take over the pipes; ``told`` hears every event as it comes."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=MAX_MESSAGE)
        answers, commands = os.fdopen(browser.answers, "rb", 0), os.fdopen(browser.commands, "wb", 0)
        reading, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), answers)
        transport, protocol = await loop.connect_write_pipe(FlowControlMixin, commands)
        return cls(reader, reading, asyncio.StreamWriter(transport, protocol, None, loop), told)

    async def call(self, method: str, *, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Have something done, in a session or in the browser; returns what it says.

        Raises BrowserFailed.
        """
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
        """Let go of the pipes, upon which the browser ends."""
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening
        if not self._writer.transport.is_closing():  # a browser that ended has closed it
            self._writer.transport.abort()
        self._reading.close()
        await asyncio.sleep(0)  # closed in the loop's next round

    async def _listen(self) -> None:
        try:
            while True:
                said = json.loads((await self._reader.readuntil(b"\0"))[:-1])
                self._take(said)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError) as error:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(BrowserFailed(f"The browser ended ({type(error).__name__})."))

    def _take(self, said: dict[str, Any]) -> None:
        if "id" not in said:
            self._told(str(said.get("method", "")), said.get("params", {}))
            return
        answer = self._waiting.get(said["id"])
        if answer is None or answer.done():
            return
        if "error" in said:
            answer.set_exception(BrowserFailed(f"The browser refuses: {said['error'].get('message', '')}"))
        else:
            answer.set_result(said.get("result", {}))
