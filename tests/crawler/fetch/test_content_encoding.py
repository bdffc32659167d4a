"""Bodies are decoded as they come, within bounds."""

import contextlib
import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.fetch.content_encoding import RATIO_FROM_BYTES, BodyBounds, Corrupt, Decoder, Overflow
from tests.crawler.hostile import brotli_bomb, gzip_bomb

ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "identity": bytes,
    "": bytes,
}
NAMES = sorted(ENCODERS)


def decoded(data: bytes, encoding: str, bounds: BodyBounds | None = None, *, step: int = 65536) -> bytes:
    decoder = Decoder(encoding, bounds or BodyBounds())
    out = b"".join(decoder.feed(data[at : at + step]) for at in range(0, len(data), step))
    decoder.finish()
    return out


@given(st.sampled_from(NAMES), st.binary(max_size=5000), st.integers(1, 700))
def test_whatever_was_encoded_comes_back_however_it_is_cut(encoding: str, body: bytes, step: int) -> None:
    assert decoded(ENCODERS[encoding](body), encoding, step=step) == body


@given(st.sampled_from(NAMES), st.binary(max_size=2000), st.integers(1, 700))
def test_any_bytes_are_decoded_or_refused_within_bounds(encoding: str, data: bytes, step: int) -> None:
    bounds = BodyBounds(max_wire=1500, max_body=1000)
    with contextlib.suppress(Corrupt, Overflow):
        assert len(decoded(data, encoding, bounds, step=step)) <= 1000


@given(st.sampled_from(["gzip", "deflate", "br"]), st.binary(min_size=1, max_size=500), st.data())
def test_a_body_cut_off_is_never_taken_for_the_whole(encoding: str, body: bytes, data: st.DataObject) -> None:
    whole = ENCODERS[encoding](body)
    cut = data.draw(st.integers(1, len(whole) - 1))
    with pytest.raises(Corrupt):
        decoded(whole[:cut], encoding)


@pytest.mark.parametrize(
    ("bomb", "encoding"),
    [
        (gzip_bomb(), "gzip"),
        (gzip.compress(bytes(2_000_000)) * 10, "gzip"),
        (brotli_bomb(), "br"),
        (zlib.compress(bytes(20_000_000)), "deflate"),
        (zlib.compress(bytes(20_000_000))[2:-4], "deflate"),
    ],
)
def test_a_bomb_is_stopped_at_the_bound(bomb: bytes, encoding: str) -> None:
    decoder = Decoder(encoding, BodyBounds(max_body=3_000_000, max_ratio=1e9))
    chunks = (bomb[at : at + 65536] for at in range(0, len(bomb), 65536))
    with pytest.raises(Overflow, match="3,000,000"):
        list(map(decoder.feed, chunks))
    assert decoder.out <= 3_000_001


def test_the_ratio_counts_only_above_a_size_that_could_harm() -> None:
    assert len(decoded(gzip.compress(bytes(RATIO_FROM_BYTES)), "gzip")) == RATIO_FROM_BYTES
    with pytest.raises(Overflow, match="100 times"):
        decoded(gzip.compress(bytes(RATIO_FROM_BYTES + 1)), "gzip")


def test_the_bounds_themselves_are_allowed() -> None:
    bounds = BodyBounds(max_wire=100, max_body=100)
    assert decoded(b"x" * 100, "", bounds) == b"x" * 100
    with pytest.raises(Overflow, match="arrived"):
        decoded(b"x" * 101, "", bounds)
    body = bytes(range(250))
    assert decoded(gzip.compress(body), "gzip", BodyBounds(max_body=250)) == body
    with pytest.raises(Overflow, match="decoded"):
        decoded(gzip.compress(body), "gzip", BodyBounds(max_body=249))


def test_members_of_gzip_follow_each_other_and_padding_is_passed_over() -> None:
    members = gzip.compress(b"one ") + gzip.compress(b"two")
    assert decoded(members, "gzip", step=7) == b"one two"
    assert decoded(members + bytes(64), "gzip", step=7) == b"one two"


def test_an_empty_body_is_whole_in_every_encoding() -> None:
    for encoding in NAMES:
        assert decoded(b"", encoding) == b""


@pytest.mark.parametrize("encoding", ["zstd", "gzip, gzip", "compress", "gzip;q=1, br"])
def test_other_encodings_are_refused(encoding: str) -> None:
    with pytest.raises(Corrupt):
        Decoder(encoding, BodyBounds())
