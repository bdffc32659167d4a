"""The reader in torch, under the names of `training.onnx_graph`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from text.encoder.runtime import DIMENSION
from training.encoder import LOWER
from training.model import LAYERS as ENCODER_LAYERS
from training.model import MASKED, Encoder, Layer, autocast
from training.reader.export import LAYERS
from training.tokens import pad

#: texts whose states are remembered, of some 200 KB each; and those encoded at a time
_REMEMBERED: Final = 16_000
_AT_A_TIME: Final = 16


@dataclass(frozen=True)
class States:
    """What the encoder makes of a batch: (batch, tokens, 384) after the lower layers and after the last; the mask."""

    lower: Tensor
    last: Tensor
    mask: Tensor


@dataclass(frozen=True)
class Logits:
    """What is said of a batch of passages: (batch,), and (batch, tokens of the passage).

    Those of padding are so low that nothing is there.
    """

    answers: Tensor
    start: Tensor
    end: Tensor
    evidence: Tensor


class Reader(nn.Module):
    """Layers over the states of a question and of a passage after ``lower`` layers, and heads upon them."""

    def __init__(self, *, dropout: float, layers: int = LAYERS, lower: int = LOWER) -> None:
        super().__init__()
        self.lower = lower
        self.segments = nn.Parameter(torch.zeros(2, DIMENSION))
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))
        self.pool, self.whole = nn.Linear(DIMENSION, DIMENSION), nn.Linear(DIMENSION, 1)
        self.tokens = nn.Linear(DIMENSION, 3)
        self.dropout = nn.Dropout(dropout)
        for head in (self.pool, self.whole, self.tokens):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def forward(self, question: States, passage: States) -> Logits:
        """Return the logits of a batch of questions, each with a passage."""
        hidden = torch.cat([question.lower + self.segments[0], passage.lower + self.segments[1]], 1)
        bias = (1.0 - torch.cat([question.mask, passage.mask], 1)[:, None, None, :]) * MASKED
        with autocast(hidden.device):
            for layer in self.layers:
                hidden = layer(hidden, bias)
        hidden = hidden.float()
        answers = self.whole(self.dropout(torch.tanh(self.pool(hidden[:, 0]))))[:, 0]
        of_tokens = self.tokens(hidden[:, question.mask.shape[1] :]) + ((1.0 - passage.mask) * MASKED)[..., None]
        return Logits(answers, *of_tokens.unbind(-1))

    def begin_with(self, encoder: Mapping[str, NDArray[Any]]) -> None:
        """Take over the encoder's layers above those that the reader stands on."""
        for number, layer in enumerate(self.layers, start=self.lower):
            names = layer.state_dict()
            layer.load_state_dict({name: torch.from_numpy(encoder[f"layers.{number}.{name}"]) for name in names})

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Take over weights by the names of `training.onnx_graph`."""
        self.load_state_dict({name: torch.from_numpy(weights[name]).float() for name in self.state_dict()})

    def weights(self) -> dict[str, NDArray[Any]]:
        """Return the weights by those names."""
        return {name: tensor.float().cpu().numpy() for name, tensor in self.state_dict().items()}

    def heads(self) -> list[nn.Parameter]:
        """Return the parameters that begin with nothing, and may learn faster."""
        return [self.segments, *self.pool.parameters(), *self.whole.parameters(), *self.tokens.parameters()]


class FrozenEncoder:
    """The encoder that the reader stands on, which learns nothing; what it makes of a text is remembered."""

    def __init__(
        self,
        weights: Mapping[str, NDArray[Any]],
        *,
        layers: int = ENCODER_LAYERS,
        lower: int = LOWER,
        on: torch.device | None = None,
    ) -> None:
        self._encoder = Encoder(dropout=0.0, frozen=layers, layers=layers)
        self._encoder.take(weights)
        self._encoder.eval()
        self._device = on or torch.device("cpu")
        self._encoder.to(self._device)
        self._lower = lower
        self._known: dict[tuple[int, ...], tuple[Tensor, Tensor]] = {}

    def states(self, rows: Sequence[Sequence[int]]) -> States:
        """Return what the encoder makes of rows of tokens."""
        keys = [tuple(row) for row in rows]
        new = sorted({key for key in keys if key not in self._known}, key=len)
        if len(self._known) + len(new) > _REMEMBERED:
            self._known.clear()
            new = sorted(set(keys), key=len)
        for at in range(0, len(new), _AT_A_TIME):
            self._learn(new[at : at + _AT_A_TIME])
        known = [self._known[key] for key in keys]
        _, mask = pad(rows, self._device)
        lower, last = (_padded([states[side] for states in known], mask.shape[1]) for side in (0, 1))
        return States(lower, last.float(), mask)

    def _learn(self, rows: Sequence[tuple[int, ...]]) -> None:
        ids, mask = pad(rows, self._device)
        with torch.no_grad(), autocast(self._device):
            states = self._encoder.states(ids, mask)
        for number, row in enumerate(rows):
            of_row = [states[layer][number, : len(row)].to(torch.bfloat16, copy=True) for layer in (self._lower, -1)]
            self._known[row] = (of_row[0], of_row[1])


def _padded(rows: Sequence[Tensor], length: int) -> Tensor:
    padded = rows[0].new_zeros((len(rows), length, DIMENSION))
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    return padded
