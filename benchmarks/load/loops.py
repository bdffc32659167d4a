"""Loads: so many callers who each ask again once answered, so many questions a second, so many equal ones at once."""

from __future__ import annotations

import asyncio
import random
import time

from benchmarks.load.calls import Call, Caller


async def closed(caller: Caller, callers: int, seconds: float) -> list[Call]:
    """Let so many callers ask one question after another; whoever is refused comes again when told to."""
    until = time.monotonic() + seconds

    async def one() -> list[Call]:
        calls: list[Call] = []
        while time.monotonic() < until:
            calls += await caller.ask_until_taken(until)
            if calls[-1].refused:  # it waits for a turn that comes after the end
                break
            if calls[-1].error:
                await asyncio.sleep(min(1.0, max(0.0, until - time.monotonic())))
        return calls

    return _flat(await asyncio.gather(*(one() for _ in range(callers))))


async def open_(caller: Caller, rate: float, seconds: float, *, seed: int = 1) -> list[Call]:
    """Ask so many questions a second, each when chance says (Poisson), however many are waited for."""
    chance, began = random.Random(seed), time.monotonic()
    until, at = began + seconds, began
    running: list[asyncio.Task[list[Call]]] = []
    while (at := at + chance.expovariate(rate)) < until:
        await asyncio.sleep(max(0.0, at - time.monotonic()))
        running.append(asyncio.create_task(caller.ask_until_taken(until)))
    return _flat(await asyncio.gather(*running))


async def at_once(caller: Caller, callers: int) -> list[Call]:
    """Let so many callers each ask one question at the same moment."""
    return list(await asyncio.gather(*(caller.ask() for _ in range(callers))))


def _flat(calls: list[list[Call]]) -> list[Call]:
    return [call for of_one in calls for call in of_one]
