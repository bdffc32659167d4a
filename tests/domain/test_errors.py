"""A secret that another service repeats is masked, in whichever form it repeats it."""

from __future__ import annotations

import base64
from urllib.parse import quote

from domain.errors import masked
from tests.tables import each_row

KEY = "sk-Zu/viel+geheim=42"


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@each_row(
    ("said", "shown"),
    [
        (f"bad key {KEY} here", "bad key [key] here"),
        (f"bad key {KEY.upper()}", ""),
        (f"bad url /v1?key={quote(KEY, safe='')}", ""),
        (f"bad url {quote(quote(KEY, safe=''), safe='')}", ""),
        ("bad url " + "".join(f"%{ord(char):02x}" for char in KEY), ""),
        (f"Authorization: Basic {_base64(f'user:{KEY}')}", ""),
        (f"Authorization: Basic {_base64(f':{KEY}')}", ""),
        (f"x{_base64(f'Bearer {KEY}')}", ""),
        (f"token={quote(base64.urlsafe_b64encode(f'a{KEY}'.encode()).decode())}", ""),
        (f"hex {KEY.encode().hex()}", ""),
        (f"hex {KEY.encode().hex(':')}", ""),
        ("".join(f"\\u{ord(char):04X}" for char in KEY), ""),
        ("".join(f"\\x{ord(char):02x}" for char in KEY), ""),
        ("sk-Zu&#47;viel&#43;geheim=42", ""),
        (
            "The model qwen3:0.6b is not there; try SGVsbG8gV29ybGQh",
            "The model qwen3:0.6b is not there; try SGVsbG8gV29ybGQh",
        ),
        ("100% of 0123456789abcdef0123456789abcdef", "100% of 0123456789abcdef0123456789abcdef"),
    ],
)
def test_secret_is_masked(said: str, shown: str) -> None:
    assert masked(said, KEY) == shown


def test_without_a_secret_all_is_said() -> None:
    assert masked("no key is needed", "") == "no key is needed"
