"""What the encoder learns from a group of questions: which passage answers each, and which sentence."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from training.examples import Example
from training.model import Encoder, autocast, pad, pooled
from training.tokens import MASK, Sentences, question_ids, sentences_of

TEMPERATURE: Final = 0.05
#: the weight of choosing among the sentences of the own passage, beside those of all passages
OWN: Final = 0.5
#: a rival this much nearer than what answers probably answers too, and counts nothing
TOO_NEAR: Final = 0.08
#: how often words of a question that its passage shares are masked, and the share that is: equal words must not decide
MASKED_QUESTIONS, MASKED_WORDS = 0.2, 0.35
#: how often titles are left out
UNTITLED: Final = 0.2
#: passages that are encoded at a time, of like length, so that padding costs little
_CHUNK: Final = 8


def loss_of(encoder: Encoder, examples: Sequence[Example], rng: random.Random) -> Tensor | None:
    """Return InfoNCE (van den Oord et al. 2018) over the passages and over the sentences; None: nothing to learn."""
    questions: list[list[int]] = []
    passages: list[Sentences] = []
    own: list[int] = []
    for example in examples:
        titled = rng.random() >= UNTITLED
        answer = sentences_of(example.answer, titled=titled)
        if not any(answer.answering):
            continue
        questions.append(_masked(question_ids(example.question), answer.ids, rng))
        own.append(len(passages))
        passages.append(answer)
        if example.rivals:
            passages.append(sentences_of(rng.choice(example.rivals), titled=titled))
    if len(questions) < 2:
        return None
    device = next(encoder.parameters()).device
    asked = _encode_questions(encoder, questions, device)
    vectors, sentences, owners = encode_passages(encoder, passages, device)
    mine = torch.tensor(own, device=device)
    nearness = asked @ vectors.T
    right = nearness.gather(1, mine[:, None])
    by_passage = functional.cross_entropy((nearness / TEMPERATURE).masked_fill(nearness > right + TOO_NEAR, -1e4), mine)
    by_question = functional.cross_entropy((nearness[:, mine] / TEMPERATURE).T, torch.arange(len(mine), device=device))
    nearness = asked @ sentences.T
    answering = torch.tensor([a for passage in passages for a in passage.answering], device=device)
    ours = owners[None, :] == mine[:, None]
    target = (ours & answering).float()
    best = nearness.masked_fill(target == 0, -9.0).max(1, keepdim=True).values
    too_near = (nearness > best + TOO_NEAR) & ~ours
    everywhere = _choice(nearness.masked_fill(too_near, -1e3), target)
    within = _choice(nearness.masked_fill(~ours, -1e3), target)
    return by_passage + 0.5 * by_question + everywhere + OWN * within


def _choice(nearness: Tensor, target: Tensor) -> Tensor:
    shares = target / target.sum(1, keepdim=True)
    return -(functional.log_softmax(nearness / TEMPERATURE, 1) * shares).sum(1).mean()


def _masked(question: list[int], passage: list[int], rng: random.Random) -> list[int]:
    if rng.random() >= MASKED_QUESTIONS:
        return question
    shared = set(passage)
    inner = [MASK if token in shared and rng.random() < MASKED_WORDS else token for token in question[1:-1]]
    return [question[0], *inner, question[-1]]


def _encode_questions(encoder: Encoder, questions: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    ids, mask = pad(questions, device)
    with autocast(device):
        return pooled(encoder(ids, mask), mask)


def encode_passages(
    encoder: Encoder, passages: Sequence[Sentences], device: torch.device
) -> tuple[Tensor, Tensor, Tensor]:
    """Return unit vectors of the passages, of all their sentences, and which passage each sentence is of."""
    order = sorted(range(len(passages)), key=lambda number: len(passages[number].ids))
    vectors: list[Tensor] = [torch.empty(0)] * len(passages)
    sentences: list[list[Tensor]] = [[] for _ in passages]
    for at in range(0, len(order), _CHUNK):
        some = order[at : at + _CHUNK]
        ids, mask = pad([passages[number].ids for number in some], device)
        with autocast(device):
            hidden = encoder(ids, mask)
        for number, vector, states in zip(some, pooled(hidden, mask), hidden, strict=True):
            vectors[number] = vector
            sentences[number] = [states[start:end].mean(0) for start, end in passages[number].ranges]
    owners = [number for number, some in enumerate(sentences) for _ in some]
    flat = torch.stack([vector for some in sentences for vector in some])
    return torch.stack(vectors), functional.normalize(flat, dim=-1), torch.tensor(owners, device=device)
