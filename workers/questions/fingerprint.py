"""Names what answers are made with: an answer is given again only where this is the same."""

from __future__ import annotations

from pydantic import SecretStr

from workers.settings import Settings

#: the settings that an answer depends on; all others say where, how fast or at what expense Wellread runs
ANSWER_SETTINGS = (
    "allow_hosts",
    "anthropic_api_key",
    "anthropic_base_url",
    "brave_key",
    "chromium",
    "model_facts",
    "embedder",
    "embedder_api_key",
    "embedder_base_url",
    "engines",
    "enhancements",
    "exa_key",
    "exclude_sites",
    "few_shot_path",
    "final_top_k",
    "fusion",
    "initial_top_k",
    "judge",
    "kagi_key",
    "large_model",
    "marginalia_key",
    "model_api_key",
    "model_base_url",
    "max_tokens_per_variant",
    "min_high_quality_hits",
    "mojeek_key",
    "quality_threshold",
    "query_expansion",
    "named_sites",
    "reranker",
    "retry_top_k",
    "rrf_k",
    "search_memory_mb",  # vectors are compared exactly in memory, approximately on disk
    "searxng_url",
    "serper_key",
    "similarity_floor",
    "small_model",
    "stop",
    "tavily_key",
    "threshold",
    "variant_count",
    "variants_from",
    "wikipedia",
)


def answer_fingerprint(settings: Settings, learned: str = "") -> str:
    """Return the settings that an answer depends on, and the ``learned`` versions; of a secret, only if it is set."""
    values = {name: getattr(settings, name) for name in ANSWER_SETTINGS}
    public = {name: bool(v.get_secret_value()) if isinstance(v, SecretStr) else v for name, v in values.items()}
    return f"{public!r} {learned}".rstrip()
