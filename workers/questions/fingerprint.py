"""Names what answers are made with: an answer is given again only where this is the same."""

import hashlib
from pathlib import Path

from pydantic import SecretStr

from workers.settings import Settings

#: settings that say where, how fast or at what expense Wellread runs; an answer depends on all others.
#: "learn": what was learned is named beside the settings; "profile": what it sets is named
OPERATIONAL = frozenset(
    "alive_file answer_processes api_host api_keys api_port batch_for contact crawl_processes data_dir "
    "database_password database_url embedder_threads events_redis_url fetch_deadline_s fetch_max_bytes "
    "file_max_bytes file_max_characters file_max_pages file_max_seconds flower_host flower_port flower_words "
    "keep_days learn logs max_open_per_caller max_open_questions max_pages max_seconds max_tokens_per_question "
    "max_usd_per_question min_delay_s model_threads model_first_token_s model_requests_a_minute model_timeout_s "
    "model_tokens_a_minute passages_uri profile redis_memory_mb redis_password redis_url stop_s user_agent "
    "wave_pages webhook_secret".split()
)


def answer_fingerprint(settings: Settings, learned: str = "") -> str:
    """Return the settings that an answer depends on, and what was ``learned``; of a secret, only if it is set."""
    values = {name: getattr(settings, name) for name in Settings.model_fields if name not in OPERATIONAL}
    public = {name: bool(v.get_secret_value()) if isinstance(v, SecretStr) else v for name, v in values.items()}
    return f"{public!r} {_examples(settings)} {learned}".rstrip()


def _examples(settings: Settings) -> str:
    """Return what tells one file of examples from another; "" without one."""
    path = settings.few_shot_path
    return hashlib.blake2b(Path(path).read_bytes(), digest_size=8).hexdigest() if path and Path(path).is_file() else ""
