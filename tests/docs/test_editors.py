"""The configurations that are shown for editors and assistants start, and reach, Wellread's tools."""

from __future__ import annotations

import asyncio
import json
import shutil
import sysconfig
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.docs.blocks import API, Block, blocks

SHOWN = [block for block in blocks("json") if block.page == "docs/how-to/editors.md"]


@pytest.mark.parametrize("block", SHOWN, ids=str)
def test_configuration_leads_to_the_tools(block: Block, url: str) -> None:
    (servers,) = json.loads(block.text).values()
    assert asyncio.run(_tools(servers["wellread"], url)) >= {"ask", "search", "read", "status", "sources"}


async def _tools(server: dict[str, Any], url: str) -> set[str]:
    if "url" in server:
        async with (
            httpx2.AsyncClient(timeout=60, trust_env=False) as http,
            Client(streamable_http_client(server["url"].replace(API, url), http_client=http)) as client,
        ):
            return {tool.name for tool in (await client.list_tools()).tools}
    command = shutil.which(server["command"], path=sysconfig.get_path("scripts"))
    assert command
    program = StdioServerParameters(command=command, args=server["args"], env={"WELLREAD_API_URL": url})
    async with Client(program) as client:
        return {tool.name for tool in (await client.list_tools()).tools}
