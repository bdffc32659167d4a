"""A short run learns, and one that was interrupted goes on where it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.training.learning import small_data
from text.encoder.runtime import open_session
from training.encoder import HEADS
from training.examples import Text
from training.measure import measure
from training.model import Encoder
from training.onnx_graph import quantise, reader_model
from training.reader.loss import Choice
from training.reader.measure import measure as measure_reader
from training.reader.model import FrozenEncoder, Reader
from training.reader.train import ReaderPlan
from training.reader.train import train as train_reader
from training.tokens import question_ids, sentences_of
from training.train import EncoderPlan, train

pytestmark = pytest.mark.timeout(600)

ENCODER_PLAN = EncoderPlan(
    rate=1e-3, warm_up=50, examples=480, group=16, measure_every=10**6, report_every=5, save_every=1000.0
)
READER_PLAN = ReaderPlan(
    rate=2e-3, warm_up=50, examples=1000, group=32, measure_every=10**6, report_every=10, save_every=1000.0
)


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


@pytest.fixture
def frozen() -> FrozenEncoder:
    weights = Encoder(dropout=0.0, layers=2).weights()
    for name in ("positions.weight", "segments.weight"):
        weights[name] *= 0.02  # as drawn, they are far longer than the vectors of the words
    return FrozenEncoder(weights, layers=2, lower=1)


@pytest.fixture
def reader() -> Reader:
    return Reader(dropout=0.0, layers=1, lower=1)


def test_the_encoder_learns_which_passage_answers(encoder: Encoder, data: Path, tmp_path: Path) -> None:
    before = measure(encoder, limit=100, folder=data)
    log = Log()
    train(encoder, ENCODER_PLAN, tmp_path, log, data=data)
    after = measure(encoder, limit=100, folder=data)
    assert log.losses()[-1] < log.losses()[0] - 0.5
    assert before["passage@1"] <= 0.6
    assert after["passage@1"] >= 0.9
    assert after["sentence@1"] >= 0.9


def test_the_reader_learns_whether_a_passage_answers(
    frozen: FrozenEncoder, reader: Reader, data: Path, tmp_path: Path
) -> None:
    before = measure_reader(frozen, reader, limit=100, folder=data)
    log = Log()
    train_reader(frozen, reader, READER_PLAN, tmp_path, log, data=data)
    after = measure_reader(frozen, reader, limit=100, folder=data)
    assert log.losses()[-1] < log.losses()[0] - 0.5
    assert after["manuals auroc"] >= 0.9
    assert before["manuals auroc"] <= 0.7
    assert before["manuals sentence@1"] <= 0.6
    assert after["manuals sentence@1"] >= 0.9


def test_an_interrupted_encoder_goes_on(encoder: Encoder, data: Path, tmp_path: Path) -> None:
    plan, log = replace(ENCODER_PLAN, save_every=0.0), Log(stop_at=160)
    with pytest.raises(Interrupted):
        train(encoder, plan, tmp_path, log, data=data)
    again, others = Log(), Encoder(dropout=0.0, layers=1)
    train(others, ENCODER_PLAN, tmp_path, again, data=data)
    assert 80 <= again.rows[0]["goes on from"] <= 160
    assert again.losses()[0] < log.losses()[0]
    assert measure(others, limit=100, folder=data)["passage@1"] >= 0.9


def test_an_interrupted_reader_goes_on(frozen: FrozenEncoder, reader: Reader, data: Path, tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        train_reader(frozen, reader, replace(READER_PLAN, save_every=0.0), tmp_path, Log(stop_at=250), data=data)
    again, other = Log(), Reader(dropout=0.0, layers=1, lower=1)
    train_reader(frozen, other, replace(READER_PLAN, examples=0), tmp_path, again, data=data)
    [row] = again.rows
    assert 100 <= row["goes on from"] <= 400
    kept = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    average = kept["average"]
    assert all(torch.equal(tensor, average[f"module.reader.{name}"]) for name, tensor in other.state_dict().items())
    assert not torch.equal(average["module.reader.segments"], kept["model"]["reader.segments"])
    assert not torch.equal(kept["model"]["reader.segments"], torch.zeros(2, 384))
    assert kept["model"]["choice.scale"] != Choice().scale


def test_what_is_exported_says_what_was_trained(
    frozen: FrozenEncoder, reader: Reader, data: Path, tmp_path: Path
) -> None:
    """The graph in eight bits against torch, padding and all."""
    question, passage = question_ids("Who keeps the lamp?"), sentences_of(Text("", "Anna keeps the lamp."))
    longer = sentences_of(Text("", "Anna keeps the lamp. " * 3))
    reader.eval()
    with torch.no_grad():
        asked, read = (frozen.states(rows) for rows in ([question, question], [passage.ids, longer.ids]))
        exact = reader(asked, read)
        asked_alone, read_alone = (frozen.states([ids]).lower[0, : len(ids)].float() for ids in (question, passage.ids))
    quantise(reader_model(reader.weights(), HEADS), tmp_path / "reader.onnx")
    session = open_session(tmp_path / "reader.onnx", 1)
    inputs = {"question": asked_alone.numpy()[None], "passage": read_alone.numpy()[None]}
    answers, start, end, evidence = session.run(None, inputs)
    kept = slice(0, len(passage.ids))
    for mine, theirs in ((start, exact.start), (end, exact.end), (evidence, exact.evidence)):
        assert np.allclose(mine[0], theirs[0, kept].numpy(), atol=0.05)
    assert answers[0] == pytest.approx(float(exact.answers[0]), abs=0.05)
