"""Only the guarded client, and the files listed here, can open a connection."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent

#: modules and calls that open connections
NETWORK = frozenset(
    """
    httpx httpx2 requests aiohttp urllib3 httpcore httpcore2 http.client urllib.request ftplib smtplib telnetlib
    xmlrpc.client websockets websocket socket ssl anthropic openai ddgs primp curl_cffi pycurl playwright selenium
    """.split()
)
CALLS = frozenset({"open_connection", "open_unix_connection", "create_connection"})

#: who may, and for what
ALLOWED = {
    "crawler/fetch/network.py": "asks the DNS, and connects to the address that the guard admitted",
    "crawler/fetch/access.py": "opens the connections to an operator's own site, for the client",
    "crawler/fetch/client.py": "the guarded client's pool, whose connections come from crawler/fetch/network.py",
    "crawler/fetch/response.py": "reads what that pool received",
    "crawler/search/claude.py": "Anthropic's client, on a transport that goes through the guarded client",
    "pipeline/models/claude_api.py": "the model's API, at the address its operator set",
    "pipeline/models/openai_api.py": "the model's API, at the address its operator set",
    "pipeline/models/connection.py": "opens their connections, and ends what they receive at the deadline",
    "pipeline/models/reranker.py": "the reranker's server, at the address its operator set",
    "workers/mail.py": "the SMTP server, at the address its operator set",
    "store/embedders/remote.py": "the embedder's server, at the address its operator set",
    "wellread/client.py": "asks our own API",
    "wellread/endpoints.py": "says how the responses of our own API are read",
    "wellread/responses.py": "reads what our own API answers",
    "api/app.py": "hands requests to the application in its own process",
    "api/mcp/endpoint.py": "hands requests to the application in its own process",
    "api/server.py": "listens",
    "workers/settings.py": "reads which proxies the environment names",
    "workers/processes/stack.py": "looks whether its children listen",
}


def _reaches_out(file: Path) -> bool:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Attribute) and node.attr in CALLS:
            return True
        else:
            continue
        if any(name in NETWORK or name.partition(".")[0] in NETWORK for name in names):
            return True
    return False


def test_only_those_that_may_open_connections() -> None:
    files = [
        file
        for package in ("domain", "text", "pipeline", "crawler", "store", "workers", "wellread", "api")
        for file in (ROOT / package).rglob("*.py")
    ]
    assert {str(file.relative_to(ROOT)) for file in files if _reaches_out(file)} == set(ALLOWED)


def test_other_connections_would_be_noticed(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    for code in (
        "import requests",
        "from urllib.request import urlopen",
        "from urllib import request",
        "import http.client",
    ):
        file.write_text(code)
        assert _reaches_out(file), code
    for code in ("asyncio.open_connection('a', 1)", "def f():\n    import httpx2 as h"):
        file.write_text(code)
        assert _reaches_out(file), code
    for code in (
        "from urllib.parse import urlsplit",
        "from http import HTTPStatus",
        "from crawler.fetch.client import Fetcher",
    ):
        file.write_text(code)
        assert not _reaches_out(file), code
