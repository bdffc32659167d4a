"""Whoever tries keys is slowed down, and nobody who has one."""

from __future__ import annotations

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from api.app import create_app
from api.middleware.auth import EVERY_S, FREE, MOST, TooManyWrongKeys, WrongKeys
from tests.api.conftest import LOCAL
from workers.services import Services


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def _tries(keys: WrongKeys, address: str) -> int:
    """How many wrong keys are looked at one after the other, of a thousand."""
    for number in range(1_000):
        try:
            keys.check(address, f"wrong{number}")
        except TooManyWrongKeys:
            return number
        keys.wrong(address)
    return 1_000


def test_wrong_keys_are_looked_at_now_and_then_alone() -> None:
    clock = Clock()
    keys = WrongKeys(clock)
    assert _tries(keys, "192.0.2.1") == FREE
    clock.now += 10 * EVERY_S
    assert _tries(keys, "192.0.2.1") == 10
    assert _tries(keys, "192.0.2.2") == FREE  # another address


def test_a_network_of_64_bits_is_one_address_and_a_mapped_one_is_its_ipv4() -> None:
    keys = WrongKeys(Clock())
    assert (_tries(keys, "2001:db8::1"), _tries(keys, "2001:db8::2"), _tries(keys, "2001:db8:0:1::1")) == (
        FREE,
        0,
        FREE,
    )
    assert (_tries(keys, "192.0.2.1"), _tries(keys, "::ffff:192.0.2.1")) == (FREE, 0)


def test_what_is_remembered_is_bounded() -> None:
    keys = WrongKeys(Clock())
    for number in range(MOST + 100):
        keys.wrong(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
        keys.right(str(number))
    assert len(keys._paid_at) == len(keys._known) == MOST


@pytest.mark.parametrize("path", ["/api/questions", "/mcp", "/v1/models"])
def test_key_that_opened_something_goes_on_while_others_are_tried(services: Services, path: str) -> None:
    services.settings = services.settings.model_copy(
        update={"api_keys": (SecretStr("ask:right"), SecretStr("ask:new"))}
    )
    with TestClient(create_app(services), base_url=LOCAL, raise_server_exceptions=False) as http:
        assert http.get("/api/questions", headers={"x-api-key": "right"}).status_code == 200
        statuses = [http.get(path, headers={"x-api-key": f"wrong{n}"}).status_code for n in range(FREE + 1)]
        assert statuses == [401] * FREE + [429]
        refused = http.get(path, headers={"authorization": "Bearer new"})
        assert (refused.status_code, int(refused.headers["retry-after"])) == (429, int(EVERY_S))
        assert http.get("/api/questions", headers={"x-api-key": "right"}).status_code == 200
        assert http.get("/api/questions").status_code == 401  # no key is no guess
