"""MiniLM's encoder in torch, under the names of `training.onnx_graph`; its word vectors are those that are shipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from text.encoder.runtime import DIMENSION, word_vectors
from training.encoder import HEADS

LAYERS, POSITIONS, WORDS = 6, 512, 30522
_EPSILON: Final = 1e-12
MASKED: Final = -1e4


class Layer(nn.Module):
    """One layer, normalised after each part as in BERT (Devlin et al. 2019)."""

    def __init__(self, dropout: float, *, hidden: int = DIMENSION, epsilon: float = _EPSILON) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.wide, self.narrow = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)
        self.norm1, self.norm2 = nn.LayerNorm(hidden, eps=epsilon), nn.LayerNorm(hidden, eps=epsilon)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        """Return the next hidden states; ``bias`` is added to the attention scores."""
        batch, tokens, size = hidden.shape
        q, k, v = self.qkv(hidden).view(batch, tokens, 3, HEADS, size // HEADS).permute(2, 0, 3, 1, 4)
        mixed = _attention(q, k, v, bias.to(q.dtype)).transpose(1, 2)
        hidden = self.norm1(hidden + self.dropout(self.out(mixed.reshape(batch, tokens, size))))
        return self.norm2(hidden + self.dropout(self.narrow(functional.gelu(self.wide(hidden)))))


class Encoder(nn.Module):
    """The encoder: ids and mask (batch, tokens) to hidden states (batch, tokens, 384)."""

    def __init__(self, *, dropout: float, frozen: int = 0, layers: int = LAYERS) -> None:
        super().__init__()
        table = torch.from_numpy(word_vectors().of(list(range(WORDS))))
        self.register_buffer("words", table, persistent=False)
        self.positions, self.segments = nn.Embedding(POSITIONS, DIMENSION), nn.Embedding(2, DIMENSION)
        self.norm = nn.LayerNorm(DIMENSION, eps=_EPSILON)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))
        self.dropout = nn.Dropout(dropout)
        self._frozen = frozen
        if frozen:
            for part in (self.positions, self.segments, self.norm, *self.layers[:frozen]):
                part.requires_grad_(requires_grad=False)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the last hidden states (batch, tokens, 384)."""
        return self.states(ids, mask)[-1].float()

    def states(self, ids: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the hidden states before the first layer and after each."""
        bias = (1.0 - mask[:, None, None, :]) * MASKED
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self._frozen):
            embedded = self.words[ids] + self.positions.weight[: ids.shape[1]] + self.segments.weight[0]
            states = [self.dropout(self.norm(embedded))]
            for layer in self.layers[: self._frozen]:
                states.append(layer(states[-1], bias))
        for layer in self.layers[self._frozen :]:
            states.append(layer(states[-1], bias))
        return states

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Take over weights by the names of `training.onnx_graph`."""
        mine = self.state_dict()
        self.load_state_dict({name: torch.from_numpy(weights[name]).float() for name in mine})

    def weights(self) -> dict[str, NDArray[Any]]:
        """Return the weights by those names."""
        return {name: tensor.float().cpu().numpy() for name, tensor in self.state_dict().items()}


def _attention(q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
    """Return softmax(q kᵀ / √d + bias) v (Vaswani et al. 2017); q, k and v are (batch, heads, tokens, d)."""
    if q.is_cuda:
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    # torch's own, learning on a processor, takes three times as long
    chances = functional.softmax(q @ k.transpose(-1, -2) * k.shape[-1] ** -0.5 + bias, dim=-1)
    return chances.to(v.dtype) @ v


def autocast(device: torch.device) -> torch.autocast:
    """Return a context of half precision, where the device multiplies in it: other processors take 60 times as long."""
    is_fast = device.type != "cpu" or torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=is_fast)


def pooled(hidden: Tensor, mask: Tensor) -> Tensor:
    """Return the unit mean of each row's tokens: (batch, 384)."""
    return functional.normalize((hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)


def pad(rows: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Return ids and mask (rows, tokens); the length is a multiple of eight."""
    length = (max(map(len, rows)) + 7) // 8 * 8
    ids, mask = torch.zeros((len(rows), length), dtype=torch.long), torch.zeros((len(rows), length))
    for number, row in enumerate(rows):
        ids[number, : len(row)] = torch.tensor(row)
        mask[number, : len(row)] = 1
    return ids.to(device), mask.to(device)
