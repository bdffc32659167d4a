"""Measure the bundled embedders' throughput, MiniLM's beside onnxruntime alone on the same texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from typing import Any

import numpy as np

from benchmarks.corpus.knowledge_base import real_set
from benchmarks.report import Figure, Options, Report, ratio
from evals.measure.stopwatch import seconds_of
from store.embedders import open_embedder
from store.embedders.bundled import MiniLM
from text.encoder.runtime import CLS, ENCODER, MAX_TOKENS, SEP, open_tokenizer, word_vectors

#: texts embedded before measuring
_WARM = 5


def measure(options: Options) -> Report:
    """Embed each text with ours and with onnxruntime alone in turn, one thread each."""
    texts = list(islice(cycle(passage.text for passage in real_set().passages), options.rounds + _WARM))
    embedder, bare = MiniLM(), _OnnxruntimeAlone()
    tokens = [bare.tokenized(text) for text in texts]
    mine, least = _in_turn(
        [partial(embedder.embed, [text]) for text in texts], [partial(bare.run, each) for each in tokens]
    )
    figures = [
        Figure(name="minilm", value=len(mine) / sum(mine), unit="texts/s"),
        Figure(name="onnxruntime alone, tokens given", value=len(least) / sum(least), unit="texts/s"),
        # of medians: other work of the machine delays single texts
        replace(ratio("minilm / onnxruntime alone", least, mine), at_least=0.95),
    ]
    for name in ("multilingual", "minilm+multilingual"):
        other = open_embedder(name)
        spent = [seconds_of(partial(other.embed, [text])) for text in texts][_WARM:]
        figures.append(Figure(name=name, value=len(spent) / sum(spent), unit="texts/s"))
    words = sum(len(text.split()) for text in texts) / len(texts)
    return Report(
        title=f"embedding: {len(mine)} texts of {words:.0f} words, one at a time, one thread",
        figures=figures,
        notes=("ours tokenises; onnxruntime alone is given the tokens' vectors",),
    )


class _OnnxruntimeAlone:
    """The same model in a session with onnxruntime's default options, except for one thread."""

    def __init__(self) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(ENCODER), options, providers=["CPUExecutionProvider"])
        self._tokenizer = open_tokenizer()

    def tokenized(self, text: str) -> dict[str, Any]:
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids[: MAX_TOKENS - 2]
        words = word_vectors().of([CLS, *ids, SEP])[np.newaxis]
        return {"words": words, "mask": np.ones(words.shape[:2], dtype=np.int64)}

    def run(self, tokens: dict[str, Any]) -> object:
        return self._session.run(["sentence_embedding"], tokens)


def _in_turn(
    some: Sequence[Callable[[], object]], others: Sequence[Callable[[], object]]
) -> tuple[list[float], list[float]]:
    """Return the seconds of each; which goes first alternates from pair to pair."""
    spent: tuple[list[float], list[float]] = ([], [])
    for place, pair in enumerate(zip(some, others, strict=True)):
        for which in (0, 1) if place % 2 else (1, 0):
            spent[which].append(seconds_of(pair[which]))
    return spent[0][_WARM:], spent[1][_WARM:]
