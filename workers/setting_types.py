"""What settings may be: types that take a value as it stands in the environment and refuse what cannot be used."""

from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr
from pydantic_settings import NoDecode

from crawler import urls
from crawler.browser.process import find_chromium
from domain.errors import WellreadError, without_userinfo
from pipeline.answering.few_shot import read_examples
from pipeline.enhancements import parse_enhancements

Value = TypeVar("Value")


def split(value: Any) -> Any:
    """Return the comma-separated parts of a text; anything else as it is."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _none_if_empty(value: Any) -> Any:
    return None if value == "" else value


def _can_be_sent(key: SecretStr) -> SecretStr:
    """A key goes into a header: nothing in it may break out of one."""
    plain = key.get_secret_value().strip()
    if " " in plain or not (plain.isascii() and plain.isprintable()):
        raise ValueError("this is not a key: it has blanks, control characters or letters beyond ASCII")
    return SecretStr(plain)


def _signs(secret: SecretStr) -> SecretStr:
    """Return a secret in the form of Standard Webhooks, ``whsec_`` and base64; any other text is put into it."""
    plain = secret.get_secret_value().strip()
    if not plain.startswith("whsec_"):
        return SecretStr(f"whsec_{b64encode(plain.encode()).decode()}" if plain else "")
    coded = plain.removeprefix("whsec_")
    try:
        usable = b64decode(coded + "=" * (-len(coded) % 4), validate=True)
    except ValueError:
        usable = b""
    if not usable:
        raise ValueError("what follows whsec_ is not base64")
    return SecretStr(plain)


def _explained(check: Callable[[Value], Value]) -> Callable[[Value], Value]:
    """Have an error of ours say why a value is refused."""

    def explained(value: Value) -> Value:
        try:
            return check(value)
        except WellreadError as error:
            raise ValueError(str(error)) from error

    return explained


@_explained
def _is_a_database(value: str) -> str:
    if not value:
        return ""
    from store.sql.database import usable_url  # SQLAlchemy, which the help needs not

    return usable_url(value)


def _is_a_redis(value: str) -> str:
    if value:
        from redis import Redis

        try:
            Redis.from_url(value).close()  # it connects to nothing
        except ValueError as error:
            raise ValueError(f"it is not a URL of a Redis such as redis://HOST:6379/0 ({error})") from error
    return value


def _is_a_model_server(value: str) -> str:
    parts = urlsplit(value)
    if value and (parts.scheme not in ("http", "https") or not parts.hostname):
        shown = without_userinfo(value)
        raise ValueError(
            f"{shown!r} is not an address: it must begin with http:// or https://, and usually ends with /v1"
        )
    return value


@_explained
def _are_enhancements(value: tuple[str, ...]) -> tuple[str, ...]:
    parse_enhancements(value)
    return value


@_explained
def _are_examples(value: str) -> str:
    if value:
        read_examples(value)
    return value


@_explained
def _are_sites(value: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(urls.typed, value))


@_explained
def _runs(value: str) -> str:
    find_chromium(value)
    return value


def _name_askers(given: tuple[str, ...]) -> tuple[str, ...]:
    for each in given:
        if not each.startswith(("collection:", "key:")):
            raise ValueError(f"{each!r} names neither a collection (collection:NAME) nor a key (key:NAME)")
    return given


#: comma-separated
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(split)]
Keys = Annotated[tuple[SecretStr, ...], NoDecode, BeforeValidator(split)]
Enhancements = Annotated[Words, AfterValidator(_are_enhancements)]
Examples = Annotated[str, AfterValidator(_are_examples)]
Batched = Annotated[Words, AfterValidator(_name_askers)]
Sites = Annotated[Words, AfterValidator(_are_sites)]
#: numbers that may be left empty
OptionalInt = Annotated[int | None, BeforeValidator(_none_if_empty)]
OptionalFloat = Annotated[float | None, BeforeValidator(_none_if_empty)]
ServiceKey = Annotated[SecretStr, AfterValidator(_can_be_sent)]
WebhookSecret = Annotated[SecretStr, AfterValidator(_signs)]
DatabaseUrl = Annotated[str, AfterValidator(_is_a_database)]
RedisUrl = Annotated[str, AfterValidator(_is_a_redis)]
ModelServer = Annotated[str, AfterValidator(_is_a_model_server)]
Chromium = Annotated[str, AfterValidator(_runs)]
Folder = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]
