"""Opens the service of the language model that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.models.provider import Provider
    from workers.settings import Settings

#: a step may ask three times and must end within its 100 s
TIMEOUT_S = 25.0


def open_provider(settings: Settings) -> Provider | None:
    """Return the server that speaks OpenAI's API where one is named, else Claude where there is a key, else None."""
    if settings.model_base_url:
        from pipeline.models.openai.provider import OpenAIProvider

        key = settings.model_api_key.get_secret_value()
        return OpenAIProvider(base_url=settings.model_base_url, api_key=key, timeout_s=TIMEOUT_S)
    if key := settings.anthropic_api_key.get_secret_value():
        from pipeline.models.claude.provider import ClaudeProvider

        return ClaudeProvider(api_key=key, base_url=settings.anthropic_base_url, timeout_s=TIMEOUT_S)
    return None
