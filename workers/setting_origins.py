"""Says of each setting what value it has and where that comes from; secrets are masked."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource, SecretsSettingsSource

from domain.errors import without_userinfo
from pipeline.documents import DOCUMENTS
from workers.settings import SECRETS_DIR, Settings

_MASKED = "********"


@dataclass(frozen=True, kw_only=True)
class SettingValue:
    """A setting with its value, as JSON has it and with secrets masked, and its origin."""

    variable: str
    value: Any
    origin: str  #: default, environment variable, .env file, secrets file or profile

    @property
    def is_set(self) -> bool:
        """Return whether somebody set it."""
        return self.origin != "default"

    @property
    def text(self) -> str:
        """Return the value as the variable would be set to it."""
        if isinstance(self.value, list):
            return ",".join(map(str, self.value))
        return (
            "" if self.value is None else str(self.value).lower() if isinstance(self.value, bool) else str(self.value)
        )


def explain(settings: Settings) -> list[SettingValue]:
    """Return every setting in the order of its declaration."""
    given = {type(source): source() for source in _sources()}
    return [
        SettingValue(
            variable=f"WELLREAD_{name.upper()}",
            value=_shown(getattr(settings, name)),
            origin=_origin(name, given, settings.profile),
        )
        for name in Settings.model_fields
    ]


def set_variables() -> list[str]:
    """Return the names that the environment, the file .env and the secrets' files set, in upper case."""
    given = [name for source in _sources()[:2] for name in source.env_vars]
    files = SECRETS_DIR.iterdir() if SECRETS_DIR.is_dir() else ()
    return sorted({name.upper() for name in (*given, *(file.name for file in files))})


def _sources() -> tuple[Any, ...]:
    secrets = [SecretsSettingsSource(Settings, SECRETS_DIR)] if SECRETS_DIR.is_dir() else []
    return (EnvSettingsSource(Settings), DotEnvSettingsSource(Settings), *secrets)


def _origin(name: str, given: Mapping[type, Mapping[str, Any]], profile: str) -> str:
    named = {
        EnvSettingsSource: "environment variable",
        DotEnvSettingsSource: f"file {Path('.env').absolute()}",
        SecretsSettingsSource: f"file {SECRETS_DIR / f'wellread_{name}'}",
    }
    origins = [origin for kind, origin in named.items() if name in given.get(kind, {})][:1]
    if profile == "documents" and name in DOCUMENTS and (not origins or name == "enhancements"):
        origins.append("profile documents")
    return " and ".join(origins) or "default"


def _shown(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return _MASKED if value.get_secret_value() else ""
    if isinstance(value, tuple):
        return [_shown(each) for each in value]
    if isinstance(value, Path):
        return str(value)
    if not isinstance(value, str):
        return value
    address, mark, query = without_userinfo(value).partition("?")  # clients of databases take passwords there
    return f"{address}?{_MASKED}" if mark and query and "://" in address else without_userinfo(value)
