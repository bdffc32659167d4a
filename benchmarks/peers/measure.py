"""Measure Wellread beside txtai and Haystack: the same passages and questions, MiniLM in onnxruntime, no model."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions, version
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from benchmarks.report import Figure, Options, Report
from benchmarks.usage import memory
from domain.errors import WellreadError
from evals.sandbox import sandbox, up
from evals.sets.beir import SHIPPED, read_set
from text.encoder import runtime
from workers.processes.supervise import wait_until

_PEER = Path(__file__).with_name("peer.py")
_ROOT = Path(__file__).parents[2]
PYTHON = _ROOT / ".venv-peers/bin/python"
_WAIT_S, _MB, _HITS = 60.0, 1e6, 5
#: documents that one request may bring
_AT_ONCE = 500


class NoPeers(WellreadError):
    """The peers are not installed: run `make bench NAME=peers`."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What one of them did."""

    name: str
    indexed_per_s: float
    asked_per_s: float
    start_s: float  #: from the start of its process, or of all of them, to the first question's passages
    pss: float
    right: float  #: questions of all whose passage was among the first five


def measure(options: Options) -> Report:
    """Index the same passages and ask the same questions, one after another, each system alone."""
    if not PYTHON.exists():
        raise NoPeers(NoPeers.__doc__)
    known = read_set(SHIPPED / "squad2-part")
    documents = [{"id": f"{at}", "title": each.title, "text": each.text} for at, each in enumerate(known.passages)]
    asked = [question for question in known.questions if question.answerable][: options.rounds]
    with tempfile.TemporaryDirectory(prefix="wr-peers-") as name:
        folder = Path(name)
        write_model(folder)
        (folder / "passages.json").write_text(json.dumps(documents))
        (folder / "questions.json").write_text(json.dumps([question.text for question in asked]))
        gold = [{str(at) for at in question.gold} for question in asked]
        peers = [_peer(each, folder, documents, gold) for each in ("txtai", "haystack")]
    return report(len(documents), len(asked), [*peers, *_wellread(documents, [q.text for q in asked], gold)])


def report(documents: int, asked: int, all_of_them: Sequence[Measured]) -> Report:
    """Return the table."""
    figures = []
    for each in all_of_them:
        figures += [
            Figure(name=f"{each.name}: passages indexed", value=each.indexed_per_s, unit="/s"),
            Figure(name="  questions", value=each.asked_per_s, unit="/s"),
            Figure(name="  start to the first answer", value=each.start_s, unit="s"),
            Figure(name="  memory, shared pages once (PSS)", value=each.pss / _MB, unit="MB"),
            Figure(name="  right passage among five", value=each.right, unit="of all"),
        ]
    installed = [
        f"{each.name} {each.version}"
        for each in distributions(path=[str(path) for path in PYTHON.parents[1].glob("lib/python3*/site-packages")])
        if each.name in ("txtai", "haystack-ai", "fastembed", "onnxruntime")
    ]
    return Report(
        title=f"peers: {documents} passages, {asked} questions one after another, {os.cpu_count()} cores",
        figures=figures,
        notes=(
            f"{', '.join(sorted(installed))}; Wellread has onnxruntime {version('onnxruntime')}",
            "all with the shipped encoder in onnxruntime: all-MiniLM-L6-v2 trained further, in eight bits",
            "the peers are libraries in a process of their own, which find five passages; Wellread is asked over HTTP",
        ),
        values={each.name: vars(each) for each in all_of_them},
    )


def write_model(folder: Path) -> None:
    """Write the shipped encoder as others take it: from the ids of tokens to words' states, with its tokenizer."""
    model = onnx.load(runtime.ENCODER)
    shape: list[str | int | None] = ["batch", "tokens"]
    graph, vocabulary = model.graph, runtime.open_tokenizer()
    table = np.ascontiguousarray(runtime.word_vectors().of(range(vocabulary.get_vocab_size())))
    graph.initializer.append(numpy_helper.from_array(table, "table"))
    graph.node.insert(0, helper.make_node("Gather", ["table", "input_ids"], ["words"]))
    graph.node.insert(1, helper.make_node("Identity", ["attention_mask"], ["mask"]))
    graph.node.append(helper.make_node("Identity", ["hidden"], ["last_hidden_state"]))
    del graph.input[:], graph.output[:]
    for name in ("input_ids", "attention_mask", "token_type_ids"):
        graph.input.append(helper.make_tensor_value_info(name, TensorProto.INT64, shape))
    states = [*shape, runtime.DIMENSION]
    graph.output.append(helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, states))
    onnx.save(model, folder / "model.onnx")
    vocabulary.enable_truncation(runtime.MAX_TOKENS)
    vocabulary.save(str(folder / "tokenizer.json"))
    marks = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "cls", "sep", "unk", "mask")}
    config = {"model_max_length": runtime.MAX_TOKENS, "pad_token_id": 0, **marks}
    for name in ("config", "tokenizer_config", "special_tokens_map"):
        (folder / f"{name}.json").write_text(json.dumps(marks if name == "special_tokens_map" else config))


def _peer(name: str, folder: Path, documents: Sequence[object], gold: Sequence[set[str]]) -> Measured:
    command = (str(PYTHON), "-P", str(_PEER), name)
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "HAYSTACK_TELEMETRY_ENABLED": "False", "TQDM_DISABLE": "1"}
    made = subprocess.run((*command, "index", str(folder)), env=env, capture_output=True, text=True, check=False)
    if made.returncode:
        raise NoPeers(f"{name} failed: {made.stderr[-2000:]}")
    began = time.perf_counter()
    with subprocess.Popen(
        (*command, "ask", str(folder)), env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdin
        process.stdout.readline()
        start_s = time.perf_counter() - began
        asked = json.loads(process.stdout.readline())
        pss, _ = memory(process.pid)
        process.stdin.write("\n")
        process.stdin.flush()
    return Measured(
        name=name,
        indexed_per_s=len(documents) / json.loads(made.stdout.splitlines()[-1])["seconds"],
        asked_per_s=len(gold) / asked["seconds"],
        start_s=start_s,
        pss=pss,
        right=_share(gold, asked["found"]),
    )


def _wellread(
    documents: Sequence[dict[str, str]], questions: Sequence[str], gold: Sequence[set[str]]
) -> list[Measured]:
    """Push the documents to `wellread up`; start it again, search for each question, then have each answered."""
    with sandbox() as settings:
        with up(settings, WELLREAD_EMBEDDER="minilm") as (_, client):
            client.put_documents([{**documents[0], "id": "first"}])
            wait_until(lambda: not client.documents(state="waiting"), within_s=_WAIT_S)
            began = time.perf_counter()
            for at in range(0, len(documents), _AT_ONCE):
                client.put_documents(documents[at : at + _AT_ONCE])
            wait_until(lambda: not client.documents(state="waiting", limit=1), within_s=10 * _WAIT_S)
            indexed_per_s = len(documents) / (time.perf_counter() - began)

        def searched(question: str) -> list[str]:
            return [hit.url for hit in client.search(question)[:_HITS]]

        def answered(question: str) -> list[str]:
            record = client.ask(question, wait=_WAIT_S, crawl_enabled=False, reuse=False)
            return [citation.url for citation in record.citations]

        measured = []
        for name, ask in (("Wellread, searching", searched), ("Wellread, answering", answered)):
            began = time.perf_counter()
            with up(settings, WELLREAD_EMBEDDER="minilm") as (process, client):
                ask(questions[0])
                start_s, asking = time.perf_counter() - began, time.perf_counter()
                found = [{url.rpartition("/")[2] for url in ask(question)} for question in questions]
                asked_s = time.perf_counter() - asking
                measured.append(
                    Measured(
                        name=name,
                        indexed_per_s=indexed_per_s,
                        asked_per_s=len(questions) / asked_s,
                        start_s=start_s,
                        pss=memory(process.pid)[0],
                        right=_share(gold, found),
                    )
                )
    return measured


def _share(gold: Sequence[set[str]], found: Sequence[Collection[str]]) -> float:
    """Return the part of the questions of which a right passage was found."""
    return sum(not mine.isdisjoint(of_it) for mine, of_it in zip(gold, found, strict=True)) / len(gold)
