"""Readers in torch, under the names of `training.onnx_graph`: the teacher, which is MPNet, and the one that ships."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from text.encoder.runtime import DIMENSION
from training.encoder import HEADS
from training.model import MASKED, Layer, autocast
from training.reader.export import LAYERS, POSITIONS
from training.reader.pairs import SENTENCES, Numbers, Pairs

#: of MPNet's bias for how far apart two tokens are: how many there are, and the largest distance that is told apart
_BUCKETS, _FAR = 32, 128


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The size of a reader."""

    layers: int
    hidden: int = DIMENSION
    epsilon: float = 1e-12
    positions: int = POSITIONS
    first: int = 0  #: the position of the first token
    is_relative: bool = False  #: attention knows how far apart two tokens are


STUDENT: Final = Shape(layers=LAYERS)
TEACHER: Final = Shape(layers=12, hidden=768, epsilon=1e-5, positions=514, first=2, is_relative=True)


@dataclass(frozen=True)
class Batch:
    """Pairs as tensors: question, then passage, then padding."""

    ids: Tensor  #: (pairs, tokens)
    passage: Tensor  #: (pairs, tokens): whether a token is the passage's
    mask: Tensor  #: (pairs, tokens): whether there is one
    asked: Tensor  #: (pairs,): tokens of the question
    sentences: Tensor  #: (pairs, SENTENCES, 2): the first token of each and the one after its last, both 0 for none

    @classmethod
    def of(cls, pairs: Pairs, some: Numbers, device: torch.device) -> Batch:
        """Return the pairs of these numbers."""
        asked, read = pairs.asked[some], pairs.read[some]
        begins, lengths = pairs.questions.lengths[asked], pairs.lengths(some)
        longest = -(-int(lengths.max()) // 8) * 8
        nothing = np.zeros(len(some), dtype=np.int64)
        ids = pairs.questions.padded(asked, longest, nothing) + pairs.passages.padded(read, longest, begins)
        at = np.arange(longest)
        mask = at < lengths[:, None]
        spans = pairs.sentences.padded(read, 2 * SENTENCES, nothing).reshape(-1, SENTENCES, 2)
        spans += np.where(spans[..., 1:] > 0, begins[:, None, None], 0)
        arrays = (ids, mask & (at >= begins[:, None]), mask, begins, spans)
        return cls(*(torch.from_numpy(np.ascontiguousarray(array)).to(device) for array in arrays))


@dataclass(frozen=True)
class Logits:
    """What a reader says of a batch; what is no token of the passage, or no sentence, is far below any logit."""

    answers: Tensor  #: (pairs,)
    start: Tensor  #: (pairs, tokens)
    end: Tensor  #: (pairs, tokens)
    sentences: Tensor  #: (pairs, SENTENCES): the mean of each one's tokens


class Reader(nn.Module):
    """Layers over the words of a question and of a passage together, and heads upon them."""

    def __init__(self, shape: Shape, words: Tensor, *, dropout: float) -> None:
        super().__init__()
        self._first, hidden = shape.first, shape.hidden
        self.register_buffer("words", words, persistent=False)
        self.positions, self.norm = nn.Embedding(shape.positions, hidden), nn.LayerNorm(hidden, eps=shape.epsilon)
        self.segments = nn.Parameter(torch.zeros(2, hidden))
        self.layers = nn.ModuleList(Layer(dropout, hidden=hidden, epsilon=shape.epsilon) for _ in range(shape.layers))
        self.pool, self.whole, self.tokens = nn.Linear(hidden, hidden), nn.Linear(hidden, 1), nn.Linear(hidden, 3)
        self.dropout = nn.Dropout(dropout)
        self.distances = nn.Embedding(_BUCKETS, HEADS) if shape.is_relative else None
        if self.distances:
            self.distances.requires_grad_(requires_grad=False)  # a bias that learns makes attention twice as slow
        for head in (self.pool, self.whole, self.tokens):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def forward(self, batch: Batch) -> Logits:
        """Return the logits of a batch."""
        at = torch.arange(batch.ids.shape[1], device=batch.ids.device)
        bias = torch.zeros(batch.mask.shape, device=at.device).masked_fill(~batch.mask, MASKED)[:, None, None]
        if self.distances:
            bias = bias + self.distances(_bucket(at[:, None] - at)).permute(2, 0, 1)
        hidden = self.words[batch.ids].float() + self.positions(at + self._first) + self.segments[batch.passage.long()]
        with autocast(at.device):
            hidden = self.dropout(self.norm(hidden))
            for layer in self.layers:
                hidden = layer(hidden, bias)
        hidden = hidden.float()
        answers = self.whole(self.dropout(torch.tanh(self.pool(hidden[:, 0]))))[:, 0]
        start, end, evidence = self.tokens(self.dropout(hidden)).unbind(-1)
        first, last = batch.sentences.unbind(-1)
        sums = nn.functional.pad(evidence.cumsum(1), (1, 0))
        means = (sums.gather(1, last) - sums.gather(1, first)) / (last - first).clamp(min=1)
        outside = ~batch.passage
        return Logits(
            answers,
            start.masked_fill(outside, MASKED),
            end.masked_fill(outside, MASKED),
            means.masked_fill(last == 0, MASKED),
        )

    def begin_with(self, encoder: Mapping[str, NDArray[Any]]) -> None:
        """Take over a model's layers, places and norm; of the encoder's segments the first, which each token has."""
        mine = self.state_dict()
        shared = {name: torch.tensor(encoder[name]).float() for name in mine if name in encoder}
        shared = {name: tensor[: len(mine[name])] for name, tensor in shared.items()}
        self.load_state_dict(shared, strict=False)
        if "segments.weight" in encoder:
            self.segments.data[:] = torch.tensor(encoder["segments.weight"][0])

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Take over weights by the names of `training.onnx_graph`."""
        self.load_state_dict({name: torch.tensor(weights[name]).float() for name in self.state_dict()})

    def weights(self) -> dict[str, NDArray[Any]]:
        """Return the weights by those names."""
        return {name: tensor.float().cpu().numpy() for name, tensor in self.state_dict().items()}

    def heads(self) -> list[nn.Parameter]:
        """Return the parameters that begin with nothing, and may learn faster."""
        return [self.segments, *self.pool.parameters(), *self.whole.parameters(), *self.tokens.parameters()]


def _bucket(apart: Tensor) -> Tensor:
    """Return T5's number for how far apart tokens are (Raffel et al. 2020): each to 7, then by their logarithm."""
    half, far = _BUCKETS // 2, apart.abs()
    exact = half // 2
    wide = exact + (torch.log(far.clamp(min=1).float() / exact) / math.log(_FAR / exact) * (half - exact)).long()
    return (apart < 0).long() * half + torch.where(far < exact, far, wide.clamp(max=half - 1))
