"""What answers come from: questions are equal only where this is too."""

from __future__ import annotations

from pydantic import SecretStr

from workers.settings import Settings

#: beginnings of the names of settings that say where and how fast it runs, and nothing of what comes out
_OPERATION = (
    "data_dir", "database_", "redis_", "passages_uri", "embedder_threads", "contact", "user_agent", "min_delay_s",
    "fetch_", "max_", "wave_pages", "api_", "webhook_secret", "flower_", "learn", "answer_processes", "crawl_processes",
)  # fmt: skip


def answer_fingerprint(settings: Settings, learned: str = "") -> str:
    """The settings that an answer depends on, of secrets only whether they are there; and what was ``learned``."""
    kept = {name: getattr(settings, name) for name in type(settings).model_fields if not name.startswith(_OPERATION)}
    chosen = {name: bool(v.get_secret_value()) if isinstance(v, SecretStr) else v for name, v in sorted(kept.items())}
    return f"{chosen!r} {learned}".rstrip()
