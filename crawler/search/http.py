"""Call an engine's HTTP API through the guarded client; every failure is an EngineError, and no message has the key."""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal
from urllib.parse import urlencode

from crawler.fetch.client import Fetcher
from crawler.fetch.guard import FetchError
from crawler.fetch.result import ANY_TYPE, Fetched, NotConnected, TooLarge
from crawler.search.errors import EngineDown, EngineError, EngineUnreachable
from crawler.search.responses import error_of, json_object
from domain.errors import masked, without_userinfo

_JSON: Final = "application/json"
_QUERY: Final = re.compile(r"(https?://[^\s?'\"]*)\?[^\s'\"]*")
Method = Literal["GET", "POST"]


class EngineApi:
    """An engine's HTTP API; ``setting`` is the environment variable with the key, for messages."""

    def __init__(self, *, client: Fetcher, name: str, base_url: str, key: str = "", setting: str = "") -> None:
        self.name, self.base_url = name, base_url.rstrip("/")
        self._client, self._key, self._setting = client, key, setting

    async def json(
        self,
        method: Method,
        path: str,
        params: Mapping[str, Any],
        *,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """Send the parameters that are not None, in the URL or as JSON; return the JSON object that answers.

        Raises EngineError.
        """
        given = {name: value for name, value in params.items() if value is not None}
        headers = {"accept": _JSON, **headers}
        if method == "GET":
            fetched = await self._answer(f"{path}?{urlencode(given)}", headers=headers)
        else:
            headers["content-type"] = _JSON
            fetched = await self._answer(path, headers=headers, body=json.dumps(given).encode())
        return json_object(fetched, self.name)

    async def post_form(self, path: str, fields: Mapping[str, str]) -> Fetched:
        """POST a form, as a browser does, and return the page that answers; raises EngineError."""
        headers = {"accept": "text/html", "content-type": "application/x-www-form-urlencoded"}
        return await self._answer(path, headers=headers, body=urlencode(fields).encode())

    async def _answer(self, path: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Fetched:
        """GET, or POST a body; return an answer with the status 200 and raise EngineError for any other."""
        url = self.base_url + path
        try:
            if body is None:
                fetched = await self._client.get(url, headers=headers, accept=ANY_TYPE)
            else:
                fetched = await self._client.post(url, headers=headers, body=body, accept=ANY_TYPE)
        except TooLarge as error:
            raise EngineError(f"{self.name} sent an answer that is too large: check its URL") from error
        except FetchError as error:
            # from None: the message holds the question, and the key where the URL has it
            why = self._without_secrets(error)
            if isinstance(error, NotConnected):
                raise EngineUnreachable(
                    f"{self.name} could not be reached: {why}; check this machine's network first"
                ) from None
            raise EngineDown(f"{self.name} could not be asked: {why}") from None
        if failure := error_of(fetched, self.name, setting=self._setting, hide=self._key):
            raise failure
        return fetched

    def _without_secrets(self, error: FetchError) -> str:
        """Return the error's message without any URL's query and password, and without the key."""
        return masked(without_userinfo(_QUERY.sub(r"\1", str(error))), self._key)
