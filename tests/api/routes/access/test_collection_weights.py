"""A collection's weight is set over HTTP, and workers are shared by it."""

from __future__ import annotations

from starlette.testclient import TestClient

from workers.services import Services


def test_collection_gets_its_share(http: TestClient, services: Services) -> None:
    assert http.post("/api/collections", json={"name": "big"}).json()["weight"] == 1
    assert http.patch("/api/collections/big", json={"weight": 2.5}).json()["weight"] == 2.5
    assert services.redis.hget("wellread:shares:weights", "collection:big") == b"2.5"
    assert [each["weight"] for each in http.get("/api/collections").json()] == [1, 2.5]
    assert http.patch("/api/collections/big", json={"weight": 0}).status_code == 422
    assert http.patch("/api/collections/default", json={"weight": 2}).status_code == 409
    assert http.patch("/api/collections/none", json={"weight": 2}).status_code == 404
