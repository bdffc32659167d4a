"""A short run learns, and one that was interrupted goes on where it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from tests.training.learning import small_data
from text.encoder.runtime import READER, open_session, word_vectors
from training.encoder import HEADS
from training.measure import measure
from training.model import WORDS, Encoder
from training.onnx_graph import quantise, reader_model
from training.reader.export import shapes
from training.reader.labels import Labels, say
from training.reader.learn import ReaderPlan, main
from training.reader.learn import train as train_reader
from training.reader.measure import measure as measure_reader
from training.reader.model import Batch, Reader, Shape
from training.reader.pairs import Pairs, pairs_of
from training.shipped import start_weights
from training.train import EncoderPlan, train

pytestmark = pytest.mark.timeout(600)

ENCODER_PLAN = EncoderPlan(
    rate=1e-3, warm_up=50, examples=480, group=16, measure_every=10**6, report_every=5, save_every=1000.0
)
READER_PLAN = ReaderPlan(
    rate=2e-3, heads=1.0, warm_up=50, examples=1000, tokens=900, seed=3, measure_every=10**6, report_every=10,
    save_every=1000.0,
)  # fmt: skip


class Interrupted(Exception):
    """A run was interrupted."""


class Log:
    """Keeps what a run reports; may interrupt it."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.rows: list[dict[str, Any]] = []
        self.stop_at = stop_at

    def __call__(self, row: dict[str, Any]) -> None:
        self.rows.append(row)
        if self.stop_at and row.get("seen", 0) >= self.stop_at:
            raise Interrupted

    def losses(self) -> list[float]:
        return [row["loss"] for row in self.rows if "loss" in row]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_data.write(tmp_path_factory.mktemp("data"))


@pytest.fixture(autouse=True)
def same_chance() -> None:
    torch.manual_seed(1)
    torch.set_num_threads(1)


@pytest.fixture
def encoder() -> Encoder:
    return Encoder(dropout=0.0, layers=1)


@pytest.fixture(scope="module")
def pairs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Pairs:
    kept = tmp_path_factory.mktemp("pairs")
    laid, again = pairs_of(data, kept), pairs_of(data, kept)
    assert all(np.array_equal(laid.passages[row], again.passages[row]) for row in range(len(laid.passages)))
    assert np.array_equal(laid.right, again.right)
    assert len(list(kept.iterdir())) == 1
    return again


def new_reader(layers: int = 1) -> Reader:
    reader = Reader(Shape(layers=layers), torch.from_numpy(word_vectors().of(range(WORDS))), dropout=0.0)
    reader.positions.weight.data *= 0.02  # as drawn, they are far longer than the vectors of the words
    return reader


def test_the_encoder_learns_which_passage_answers(encoder: Encoder, data: Path, tmp_path: Path) -> None:
    before = measure(encoder, limit=100, folder=data)
    log = Log()
    train(encoder, ENCODER_PLAN, tmp_path, log, data=data)
    after = measure(encoder, limit=100, folder=data)
    assert log.losses()[-1] < log.losses()[0] - 0.5
    assert before["passage@1"] <= 0.6
    assert after["passage@1"] >= 0.9
    assert after["sentence@1"] >= 0.9


def test_the_reader_learns_whether_a_passage_answers(pairs: Pairs, tmp_path: Path) -> None:
    reader, log = new_reader(), Log()
    before = measure_reader(reader, pairs, limit=100)
    train_reader(reader, pairs, READER_PLAN, tmp_path, log)
    after = measure_reader(reader, pairs, limit=100)
    assert log.losses()[-1] < log.losses()[0] - 0.5
    assert after["manuals auroc"] >= 0.9
    assert before["manuals auroc"] <= 0.7
    assert before["manuals sentence@1"] <= 0.6
    assert after["manuals sentence@1"] >= 0.9


def test_a_reader_learns_what_another_says_where_the_marks_are_wrong(pairs: Pairs, tmp_path: Path) -> None:
    teacher, log = new_reader(), Log()
    train_reader(teacher, pairs, READER_PLAN, tmp_path / "teacher", log)
    said = Labels.none(len(pairs))
    say(teacher, pairs, said, seconds=60, tokens=4000, report=log)
    assert log.rows[-1] == {"labelled": len(pairs), "of": len(pairs)}
    said.save(tmp_path / "labels.npz", pairs)
    labels = Labels.read([tmp_path / "labels.npz"], pairs)
    assert labels.known.all()
    assert np.abs(labels.answers - said.answers).max() <= 0.07
    mistaken = replace(pairs, answers=~pairs.answers, right=np.zeros_like(pairs.right))
    learned = new_reader()
    train_reader(learned, mistaken, replace(READER_PLAN, examples=2000), tmp_path / "learned", log, labels)
    assert measure_reader(learned, pairs, limit=100)["manuals auroc"] >= 0.9


def test_an_interrupted_encoder_goes_on(encoder: Encoder, data: Path, tmp_path: Path) -> None:
    plan, log = replace(ENCODER_PLAN, save_every=0.0), Log(stop_at=160)
    with pytest.raises(Interrupted):
        train(encoder, plan, tmp_path, log, data=data)
    again, others = Log(), Encoder(dropout=0.0, layers=1)
    train(others, ENCODER_PLAN, tmp_path, again, data=data)
    assert 80 <= again.rows[0]["goes on from"] <= 160
    assert again.losses()[0] < log.losses()[0]
    assert measure(others, limit=100, folder=data)["passage@1"] >= 0.9


def test_an_interrupted_reader_goes_on(pairs: Pairs, tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        train_reader(new_reader(), pairs, replace(READER_PLAN, save_every=0.0), tmp_path, Log(stop_at=250))
    again, other = Log(), new_reader()
    train_reader(other, pairs, replace(READER_PLAN, seconds=1e-9), tmp_path, again)
    [row] = again.rows
    assert 100 <= row["goes on from"] <= 400
    kept = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    average = kept["average"]
    assert kept["seconds"] > 0
    assert all(torch.equal(tensor, average[f"module.reader.{name}"]) for name, tensor in other.state_dict().items())
    assert not torch.equal(average["module.reader.segments"], kept["model"]["reader.segments"])


def test_a_run_ends_when_its_time_is_up(pairs: Pairs, tmp_path: Path) -> None:
    log = Log()
    train_reader(new_reader(), pairs, replace(READER_PLAN, seconds=1e-9), tmp_path, log)
    assert log.rows == []


def test_what_is_exported_says_what_was_trained(pairs: Pairs, tmp_path: Path) -> None:
    """The graph in eight bits against torch, padding and all."""
    reader, longest = new_reader(2), int(np.argmax(pairs.lengths(np.arange(len(pairs)))))
    reader.segments.data.normal_(std=0.02)
    reader.eval()
    with torch.no_grad():
        exact = reader(Batch.of(pairs, np.array([0, longest]), torch.device("cpu")))
    quantise(reader_model(reader.weights(), HEADS), tmp_path / "reader.onnx")
    session = open_session(tmp_path / "reader.onnx", 1)
    question, passage = pairs.questions[pairs.asked[0]], pairs.passages[pairs.read[0]]
    inputs = {
        "question": word_vectors().of(question.tolist())[None],
        "passage": word_vectors().of(passage.tolist())[None],
    }
    answers, start, end, evidence = session.run(None, inputs)
    kept = slice(len(question), len(question) + len(passage))
    for mine, theirs in ((start, exact.start), (end, exact.end)):
        assert np.allclose(mine[0], theirs[0, kept].numpy(), atol=0.05)
    first, last = pairs.sentences[pairs.read[0]][:2]
    assert evidence[0, first:last].mean() == pytest.approx(float(exact.sentences[0, 0]), abs=0.05)
    assert answers[0] == pytest.approx(float(exact.answers[0]), abs=0.05)


@pytest.mark.parametrize("command", ["teach", "distil", "distil --start text/encoder/reader.onnx --keep 1"])
def test_the_commands_run(command: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `make teach` and `make distil` do, on small data: the first with MPNet's own weights."""
    command, *started = command.replace("text/encoder/reader.onnx", str(READER)).split()
    monkeypatch.chdir(tmp_path)
    options = ["--questions", "40", "--tokens", "600", "--measured", "8", "--data", str(data), "--threads", "1"]
    result = CliRunner().invoke(main, [command, *started, *options])
    assert result.exit_code == 0, result.output
    made = {"teach": "teacher/labels.npz", "distil": "reader/reader.npz"}[command]
    assert {name: array.shape for name, array in np.load(tmp_path / "build/training" / made).items()}
    if command == "distil":
        assert {
            name: array.shape for name, array in start_weights(tmp_path / "build/training" / made).items()
        } == shapes()
    if started:  # all of the start was kept
        made, start = np.load(tmp_path / "build/training/reader/reader.npz"), start_weights(READER)
        assert all(np.allclose(made[name], start[name], atol=1e-6) for name in made)
