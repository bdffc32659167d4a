"""Opens the language model that the settings name, and the pace at which all processes ask its service."""

import json
import random
import time
from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import redis
import structlog

from domain import Question
from domain.errors import without_userinfo
from pipeline.llm import SpendingBudget
from pipeline.models.model import LanguageModel
from pipeline.models.pace import LONGEST_PAUSE_S, Budget, ModelPace, Pace, Rule, ServicePace
from store.questions.trace import spent

if TYPE_CHECKING:
    from pipeline.models.calls import Provider
    from workers.services import Services
    from workers.settings import Settings

log = structlog.get_logger()

#: how long a process keeps its own pace before it looks for Redis again
ALONE_S = 5.0
_KEPT_S = int(2 * LONGEST_PAUSE_S)
#: of a change, against changes by others at the same time
_TRIES, _APART_S = 50, 0.01
#: seconds before its deadline at which a question does without a model
MARGIN_S = 2.0


def open_model(settings: "Settings", client: redis.Redis) -> LanguageModel | None:
    """Return the language model; None without a server and without a key."""
    provider, small_model, large_model = open_provider(settings), *settings.models
    if provider is None:
        return None
    budget = Budget(requests=settings.model_requests_a_minute, tokens=settings.model_tokens_a_minute)
    service = without_userinfo(settings.model_base_url or settings.anthropic_base_url or "claude")
    return LanguageModel(
        provider=provider,
        times=settings.model_times,
        pace=SharedPace(client, service, budget),
        max_usd=settings.max_usd_per_question,
        small_model=small_model,
        large_model=large_model,
    )


def open_provider(settings: "Settings") -> "Provider | None":
    """Return the server that speaks OpenAI's API where one is named, else Claude where there is a key, else None."""
    if settings.model_base_url:
        from pipeline.models.openai import OpenAIProvider

        return OpenAIProvider(base_url=settings.model_base_url, api_key=settings.model_api_key.get_secret_value())
    if key := settings.anthropic_api_key.get_secret_value():
        from pipeline.models.claude import ClaudeProvider

        return ClaudeProvider(api_key=key, base_url=settings.anthropic_base_url)
    return None


class SharedPace(Pace):
    """The pace of all processes on the same Redis that ask the same service; a process without Redis keeps its own."""

    def __init__(self, client: redis.Redis, service: str, budget: Budget) -> None:
        super().__init__(budget)
        self._redis = client
        self._key = f"wellread:pace:{service}"
        self._alone_until = 0.0

    def apply(self, rule: Rule) -> float:
        """Change the pace by a rule; return what the rule gives."""
        if time.monotonic() >= self._alone_until:
            try:
                return self._apply_shared(rule)
            except (redis.RedisError, ValueError, TypeError, KeyError) as error:
                # no call fails because of its pace
                log.warning("model_pace_not_shared", error=str(error), seconds=ALONE_S)
                self._alone_until = time.monotonic() + ALONE_S
        return super().apply(rule)

    def _apply_shared(self, rule: Rule) -> float:
        """Change what is stored; raises RedisError, also if others change it all the time."""
        with self._lock, self._redis.pipeline() as pipe:
            for _ in range(_TRIES):
                pipe.watch(self._key)  # type: ignore[no-untyped-call]
                stored, (seconds, micros) = pipe.get(self._key), pipe.time()
                changed, given = rule(_pace(json.loads(stored)) if stored else ServicePace(), seconds + micros / 1e6)
                pipe.multi()
                pipe.set(self._key, json.dumps(asdict(changed)), ex=_KEPT_S)
                try:
                    pipe.execute()
                except redis.WatchError:
                    time.sleep(random.uniform(0.0, _APART_S))  # noqa: S311 (no secret)
                    continue
                return given
        raise redis.WatchError(f"{self._key} was changed {_TRIES} times meanwhile")


def _pace(stored: Mapping[str, Any]) -> ServicePace:
    models = {name: ModelPace(**each) for name, each in stored["models"].items()}
    return ServicePace(**{**stored, "models": models})


def remaining_budget(services: "Services", question: Question) -> SpendingBudget:
    """Return the question's budget minus the cost of its steps, and the time until shortly before its deadline."""
    with services.database.read() as session:
        so_far = spent(session, question.id)
    budget = question.budget
    return SpendingBudget(
        usd=budget.usd - so_far.usd,
        tokens=budget.tokens - so_far.input_tokens - so_far.output_tokens,
        seconds=(question.deadline - services.now()) / timedelta(seconds=1) - MARGIN_S,
    )
