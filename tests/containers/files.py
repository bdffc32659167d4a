"""The compose file as its tests read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import SecretStr

from workers.settings import Settings

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service.get("image") == "wellread:local"}
#: it ends
UNCHECKED = {"migrate"}
SETTINGS = {f"WELLREAD_{name.upper()}" for name in Settings.model_fields}
#: the settings that are secrets
SECRET = {
    f"wellread_{name}"
    for name, field in Settings.model_fields.items()
    if "SecretStr" in str(field.annotation) or SecretStr in get_args(field.annotation)
}
