"""Opens what the pipeline works with: the language model and its pace, the rules of a pass, the vectors of links.

The settings choose: the model that answers and the pace at which all processes ask its service; who judges, when to
stop, how hits are fused and ordered, the limits.
"""

import json
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import timedelta
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import numpy as np
import redis
import structlog

from domain import Question
from domain.errors import without_userinfo
from pipeline.answering.few_shot import read_examples
from pipeline.ask import Tools
from pipeline.documents.judge import QualityRule, document_judge, document_stop, similarity_of
from pipeline.documents.rerank import BY_TFIDF, RERANKERS, RerankerNotInstalled, rrf
from pipeline.enhancements import parse_enhancements
from pipeline.judging.judge import Stop, cut_off_by_judge, keep_all
from pipeline.llm import SpendingBudget
from pipeline.models.model import LanguageModel
from pipeline.models.pace import LONGEST_PAUSE_S, ModelPace, Pace, RateLimit, Rule, ServicePace
from pipeline.retrieval.rerank import Reranker
from pipeline.retrieval.retrieve import Ranking
from pipeline.strategies import RetrievalLimits
from store.embedders import EmbedderError, open_embedder
from store.questions.trace import spent
from workers.settings import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crawler.discovery.relevance import Similarity
    from pipeline.models.calls import Provider
    from store.embedders import Embedder
    from workers.services import Services

log = structlog.get_logger()

#: how long a process keeps its own pace before it looks for Redis again
ALONE_S = 5.0
_KEPT_S = int(2 * LONGEST_PAUSE_S)
#: of a change, against changes by others at the same time
_TRIES, _APART_S = 50, 0.01
#: seconds before its deadline at which a question does without a model
MARGIN_S = 2.0
#: vectors that are remembered: each link once, for all waves and questions; about 12 MB
MOST_VECTORS: Final = 8_192


def with_rules(tools: Tools, settings: Settings) -> Tools:
    """Return the tools with the rules that the settings choose."""
    s, similarity = settings, similarity_of(tools.embedder.id)
    rule = QualityRule(similarity=s.quality_threshold, hits=s.min_high_quality_hits)
    stops: Mapping[str, Stop] = {
        "judge": cut_off_by_judge,
        "max_k": keep_all,
        "document": document_stop(s.similarity_floor, similarity),
    }
    switched = (*s.enhancements, "page_rank") if s.reranker == "graph" else s.enhancements
    return replace(
        tools,
        judge=document_judge(rule, similarity) if s.judge == "document" else None,
        stop=stops[s.stop],
        ranking=Ranking(fuse=partial(rrf, k=s.rrf_k) if s.fusion == "rrf" else None, rerank=open_reranker(s)),
        limits=limits_of(s),
        enhancements=parse_enhancements(switched),
        examples=read_examples(s.few_shot_path) if s.few_shot_path else (),
    )


def open_reranker(settings: Settings) -> Reranker | None:
    """Return the chosen reranker; None is the learned one, also instead of a server that may not be reached.

    Raises RerankerNotInstalled.
    """
    if settings.reranker in BY_TFIDF and find_spec("sklearn") is None:
        raise RerankerNotInstalled(settings.reranker)
    if settings.reranker != "api" or not settings.may_reach(settings.rerank_url):
        return RERANKERS.get(settings.reranker)
    from pipeline.models.reranker import RemoteReranker

    key = settings.rerank_key.get_secret_value()
    return RemoteReranker(settings.rerank_url, model=settings.rerank_model, api_key=key)


def limits_of(settings: Settings) -> RetrievalLimits:
    """Return the limits of every pass, as the operator set them."""
    named = {
        each.name: getattr(settings, each.name)
        for each in fields(RetrievalLimits)
        if each.name in Settings.model_fields
    }
    variants = settings.variant_count if settings.query_expansion else 0
    return RetrievalLimits(**named, variants=variants, by_strategy=settings.stop == "document")


def open_model(settings: Settings, client: redis.Redis) -> LanguageModel | None:
    """Return the language model; None without a server and without a key."""
    provider, small_model, large_model = open_provider(settings), *settings.models
    if provider is None:
        return None
    budget = RateLimit(requests=settings.model_requests_a_minute, tokens=settings.model_tokens_a_minute)
    service = without_userinfo(settings.model_base_url or settings.anthropic_base_url or "claude")
    return LanguageModel(
        provider=provider,
        times=settings.model_times,
        pace=SharedPace(client, service, budget),
        max_usd=settings.max_usd_per_question,
        small_model=small_model,
        large_model=large_model,
    )


def open_provider(settings: Settings) -> "Provider | None":
    """Return the server that speaks OpenAI's API where one is named, else Claude where there is a key, else None.

    One that WELLREAD_EGRESS forbids is as if there were none.
    """
    if not settings.has_model:
        return None
    if settings.model_base_url:
        from pipeline.models.openai import OpenAIProvider

        return OpenAIProvider(base_url=settings.model_base_url, api_key=settings.model_api_key.get_secret_value())
    if key := settings.anthropic_api_key.get_secret_value():
        from pipeline.models.claude import ClaudeProvider

        return ClaudeProvider(api_key=key, base_url=settings.anthropic_base_url)
    return None


class SharedPace(Pace):
    """The pace of all processes on the same Redis that ask the same service; a process without Redis keeps its own."""

    def __init__(self, client: redis.Redis, service: str, budget: RateLimit) -> None:
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
                known = json.loads(stored) if stored else {"models": {}}
                models = {name: ModelPace(**each) for name, each in known["models"].items()}
                changed, given = rule(ServicePace(**known | {"models": models}), seconds + micros / 1e6)
                pipe.multi()
                pipe.set(self._key, json.dumps(asdict(changed)), ex=_KEPT_S)
                try:
                    pipe.execute()
                except redis.WatchError:
                    time.sleep(random.uniform(0.0, _APART_S))  # noqa: S311 (no secret)
                    continue
                return given
        raise redis.WatchError(f"{self._key} was changed {_TRIES} times meanwhile")


def remaining_budget(services: "Services", question: Question) -> SpendingBudget:
    """Return the question's budget minus the cost of its steps, and the time until shortly before its deadline."""
    so_far = services.read(spent, question.id)
    budget = question.budget
    return SpendingBudget(
        usd=budget.usd - so_far.usd,
        tokens=budget.tokens - so_far.input_tokens - so_far.output_tokens,
        seconds=(question.deadline - services.now()) / timedelta(seconds=1) - MARGIN_S,
    )


class LinkVectors:
    """Compares the texts of links with a question in meaning, with the bundled models, whatever embeds the passages.

    A paid or remote embedder is not asked: a page may have thousands of links. English uses the English model alone,
    which is half as large and twice as fast as both.
    """

    def __init__(self, *, threads: int = 1) -> None:
        self._open = lru_cache(maxsize=2)(lambda name: open_embedder(name, threads=threads))
        self._known: OrderedDict[tuple[str, str], NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def similarity_to(self, question: str, lang: str) -> "Similarity | None":
        """Return the comparison with a question; None, and words alone rank, where no model is installed."""
        name = "minilm" if lang == "en" else "multilingual"
        try:
            embedder = self._open(name)
        except EmbedderError as error:
            log.warning("links_not_embedded", error=str(error))
            return None
        asked = embedder.embed([question])[0]
        return lambda texts: [float(vector @ asked) for vector in self._vectors(name, embedder, texts)]

    def _vectors(self, name: str, embedder: "Embedder", texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        with self._lock:
            known = {text: vector for text in texts if (vector := self._known.get((name, text))) is not None}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:  # copies: a row would keep its whole batch in memory
            known |= {text: vector.copy() for text, vector in zip(new, embedder.embed(new), strict=True)}
        with self._lock:
            for text in new:
                self._known[name, text] = known[text]
            while len(self._known) > MOST_VECTORS:
                self._known.popitem(last=False)
        return [known[text] for text in texts]
