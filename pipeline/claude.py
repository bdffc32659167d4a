"""Claude as the language model: variants and verdicts by the small model, answers with citations by the large one."""

from __future__ import annotations

import copy
import json
import os
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pipeline.claude_forms import VARIANTS_SCHEMA, VERDICT_SCHEMA, read_variants, read_verdict
from pipeline.claude_passages import NOT_FOUND, Given, answer_from, give, search_results
from pipeline.claude_prompts import COMPOSE, VARIANTS, VERDICT, answer_language, system
from pipeline.llm import BadReply, ModelRefused, OverBudget, Priced, WrongKey
from pipeline.prices import PRICES, Price, cost_of, most_it_can_cost
from pipeline.variants import MAX_COUNT
from store.types import Answer, Cost, Hit, Variant, Verdict

if TYPE_CHECKING:
    from pipeline.claude_api import Api, Reply
    from pipeline.purse import Purse

SMALL_MODEL = "claude-haiku-4-5-20251001"
LARGE_MODEL = "claude-sonnet-5-5"
#: of the question, when variants are asked for
MAX_QUESTION_CHARS = 500
#: models that know no effort; the others think before they reply, and little of that is needed here
_WITHOUT_EFFORT = ("claude-3", "claude-haiku-4", "claude-sonnet-4-5", "claude-sonnet-4-2", "claude-opus-4-1")


class Claude:
    """Asks Claude, over one pool of connections per process, made with the first call; calls may be made in parallel.

    Each call ends within ``timeout_s`` seconds, retries included, and is not sent when it could cost more than
    ``max_usd``. ``max_tokens`` includes what the model thinks. ``prices`` (a model name's prefix → price) overrides the
    list prices.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str = "",
        small_model: str = SMALL_MODEL,
        large_model: str = LARGE_MODEL,
        max_tokens: int = 4096,
        timeout_s: float = 60.0,
        max_retries: int = 2,
        max_usd: float = 0.5,
        prices: Mapping[str, Price] = PRICES,
    ) -> None:
        self._api_key = _checked(api_key)
        self._base_url = base_url
        self._small_model = small_model
        self._large_model = large_model
        self._max_tokens = max_tokens
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._max_usd = max_usd
        self._prices = prices
        self._lock = threading.Lock()
        self._opened: tuple[int, Api] | None = None
        self._whole: Claude | None = None  # whose connections one within a purse uses
        self._purse: Purse | None = None

    def __repr__(self) -> str:
        return f"Claude(small_model={self._small_model!r}, large_model={self._large_model!r})"

    @property
    def name(self) -> str:
        """The model that composes."""
        return self._large_model

    def variants(self, question: str, *, count: int, lang: str) -> Priced[tuple[Variant, ...]]:
        """Give up to ``count`` (at most 5) other wordings; only the question's first 500 characters are sent."""
        wanted = max(1, min(MAX_COUNT, count))
        asked = question[:MAX_QUESTION_CHARS]
        content = [_text(f"Question: {asked}\n\nGive {wanted} wordings.")]
        notes = (answer_language(lang),)
        fields, cost = self._fields(system(VARIANTS, notes), content, VARIANTS_SCHEMA)
        found = read_variants(fields, asked)[:wanted]
        if not found:
            raise BadReply(f"{self._small_model} gave no usable wording of the question.", cost=cost)
        return Priced(value=found, cost=cost)

    def verdict(self, question: str, hits: Sequence[Hit]) -> Priced[Verdict]:
        """Judge whether ``hits`` answer ``question``; without any, nothing is asked."""
        given = give(hits)
        if not given:
            return Priced(value=_nothing_to_judge(self._small_model), cost=Cost())
        content = [*search_results(given, citable=False), _text(f"Question: {question}")]
        fields, cost = self._fields(system(VERDICT), content, VERDICT_SCHEMA)
        try:
            return Priced(value=read_verdict(fields, judge=self._small_model), cost=cost)
        except (KeyError, TypeError, ValueError) as error:
            raise BadReply(f"{self._small_model} gave no verdict in the form asked for.", cost=cost) from error

    def compose(
        self, question: str, hits: Sequence[Hit], *, lang: str = "", notes: Sequence[str] = (), examples: str = ""
    ) -> Answer:
        """Write the answer from ``hits``, every sentence with citations (see :func:`answer_from`)."""
        given = give(hits)
        if not given:
            return _nothing_found(self._large_model)
        shown = [_text(examples)] if examples else []
        content = [*search_results(given, citable=True), *shown, _text(f"Question: {question}")]
        reply, cost = self._ask(self._large_model, system(COMPOSE, (answer_language(lang), *notes)), content)
        return _answer_of(reply, given, self._large_model, cost, question=question, lang=lang)

    def within(self, purse: Purse) -> Claude:
        """Give the same Claude, over the same connections, paying from ``purse``."""
        bound = copy.copy(self)
        bound._whole, bound._purse = self._whole or self, purse
        return bound

    def close(self) -> None:
        """Close the connections; the next call opens them again."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened and opened[0] == os.getpid():
            opened[1].close()

    def _fields(
        self, system: list[dict[str, Any]], content: list[dict[str, Any]], schema: dict[str, Any]
    ) -> tuple[dict[str, Any], Cost]:
        """Ask the small model for an object of ``schema``."""
        reply, cost = self._ask(self._small_model, system, content, schema)
        try:
            fields = json.loads(reply.text)
        except ValueError as error:
            why = "was cut off at max_tokens" if reply.stop_reason == "max_tokens" else "is no JSON"
            raise BadReply(f"The reply of {self._small_model} {why}.", cost=cost) from error
        if not isinstance(fields, dict):
            raise BadReply(f"The reply of {self._small_model} is no JSON object.", cost=cost)
        return fields, cost

    def _ask(
        self,
        model: str,
        system: list[dict[str, Any]],
        content: list[dict[str, Any]],
        schema: dict[str, Any] | None = None,
    ) -> tuple[Reply, Cost]:
        request: dict[str, Any] = {
            "model": model,
            "max_tokens": self._max_tokens,
            "system": system,
            "messages": [{"role": "user", "content": content}],
        }
        if config := _output_config(model, schema):
            request["output_config"] = config
        reply, cost = self._pay(model, request)
        if reply.stop_reason == "refusal":
            why = f" ({reply.refusal})" if reply.refusal else ""
            raise ModelRefused(f"{model} declines to reply{why}: ask in other words.", cost=cost)
        return reply, cost

    def _pay(self, model: str, request: Mapping[str, Any]) -> tuple[Reply, Cost]:
        """Send what can be paid for; a call that fails has cost nothing that is known of."""
        most = self._most(model, request)
        if self._purse is None:
            return self._send(model, request)
        self._purse.take(most)
        paid = Cost()
        try:
            reply, paid = self._send(model, request)
        finally:
            self._purse.settle(most, paid)
        return reply, paid

    def _send(self, model: str, request: Mapping[str, Any]) -> tuple[Reply, Cost]:
        reply = self._api().send(request)
        return reply, cost_of(model, reply.usage, self._prices)

    def _most(self, model: str, request: Mapping[str, Any]) -> Cost:
        """What a call can cost; raises OverBudget for more than a single one may."""
        prompt = json.dumps([request["system"], request["messages"]], ensure_ascii=False)
        most = most_it_can_cost(model, prompt, self._max_tokens, self._prices)
        if most.usd > self._max_usd:
            raise OverBudget(
                f"A call to {model} could cost ${most.usd:.3f}, more than the ${self._max_usd:.3f} one may: "
                "nothing was sent. Raise WELLREAD_MAX_USD_PER_QUESTION or choose a cheaper model."
            )
        return most

    def _api(self) -> Api:
        """Give this process's connection pool; one inherited over a fork is left to the parent."""
        if self._whole is not None:
            return self._whole._api()
        with self._lock:
            if self._opened is None or self._opened[0] != os.getpid():
                from pipeline.claude_api import Api

                api = Api(
                    api_key=self._api_key,
                    base_url=self._base_url,
                    timeout_s=self._timeout_s,
                    max_retries=self._max_retries,
                )
                self._opened = (os.getpid(), api)
            return self._opened[1]


def _checked(api_key: str) -> str:
    key = api_key.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise WrongKey("Claude's key is empty or no key: check WELLREAD_ANTHROPIC_API_KEY.")
    return key


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text.encode("utf-8", "replace").decode()}


def _output_config(model: str, schema: dict[str, Any] | None) -> dict[str, Any]:
    config: dict[str, Any] = {} if model.startswith(_WITHOUT_EFFORT) else {"effort": "low"}
    return config | ({"format": {"type": "json_schema", "schema": schema}} if schema else {})


def _nothing_to_judge(judge: str) -> Verdict:
    return Verdict(sufficient=False, confidence=0.0, reason="There are no passages to answer from.", judge=judge)


def _nothing_found(composer: str) -> Answer:
    return Answer(text="", sentences=(), citations=(), confidence=0.0, composer=composer, notice=NOT_FOUND)


def _answer_of(reply: Reply, given: Sequence[Given], model: str, cost: Cost, *, question: str, lang: str) -> Answer:
    cut_off = reply.stop_reason in {"max_tokens", "model_context_window_exceeded"}
    if not reply.text.strip():
        what = "used up max_tokens before it replied" if cut_off else "gave an empty reply"
        raise BadReply(f"{model} {what}: ask again, with more max_tokens if that was it.", cost=cost)
    return answer_from(reply.said, given, composer=model, cut_off=cut_off, cost=cost, question=question, lang=lang)
