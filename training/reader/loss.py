"""What the reader learns from a group: whether each passage answers, where, and which of a question's sentences do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.examples import Span
from training.model import pooled
from training.reader.examples import Laid
from training.reader.model import FrozenEncoder, Logits, Reader, States

#: the weights of the short answer, of each sentence alone, and of the choice among the sentences of the passage that
#: answers, beside those of the whole passage and of the choice among all sentences
SHORT, SENTENCES, WITHIN = 0.5, 0.5, 0.3
#: how much more a sentence that answers counts than one that does not: there are fewer of them
RARE = 2.0
#: how much the passage's logit counts in the choice beside the sentence's own
PASSAGE: Final = 0.5
#: how near a sentence is: beside its own similarity, that of its passage and the score that ranked the passage
_OF_PASSAGE, _RANKED = 0.4, 0.12


class Choice(nn.Module):
    """Chooses among the sentences of all of a question's passages, or none.

    A sentence's logits are added to its nearness, as they are where an answer is composed: so the reader learns what
    similarity does not tell. What is learned here serves training alone.
    """

    def __init__(self) -> None:
        super().__init__()
        self.scale, self.none = nn.Parameter(torch.tensor(15.0)), nn.Parameter(torch.tensor(0.0))

    def forward(self, logits: Tensor, nearness: Tensor, right: Tensor) -> Tensor:
        """Return the loss of one question: logits and nearness of its sentences, and whether each answers."""
        sentences = logits + self.scale * (nearness - nearness.max())
        chances = functional.log_softmax(torch.cat([self.none[None], sentences]), 0)
        target = torch.cat([~right.any()[None], right])
        return -chances[target].logsumexp(0)


def loss_of(encoder: FrozenEncoder, reader: Reader, choice: Choice, group: Sequence[Laid]) -> Tensor:
    """Return the sum of the losses of a group's passages and of the choice that each question asks for."""
    asked = encoder.states([each.question for each in group])
    read = encoder.states([each.passage.ids for each in group])
    logits = reader(asked, read)
    nearness = nearness_of(asked, read, group)
    total = _of_passages(logits, group)
    within: list[Tensor] = []
    questions = defaultdict(list)
    for at, each in enumerate(group):
        sentences = sentence_means(logits.evidence[at], each.passage.ranges)
        right = torch.tensor(each.passage.answering, device=sentences.device)
        questions[each.number].append((sentences + PASSAGE * logits.answers[at], nearness[at], right))
        if each.answers:
            within.append(-functional.log_softmax(sentences, 0)[right].mean())
    if within:
        total = total + WITHIN * torch.stack(within).mean()
    chosen = [choice(*map(torch.cat, zip(*passages, strict=True))) for passages in questions.values()]
    return total + torch.stack(chosen).mean()


def _of_passages(logits: Logits, group: Sequence[Laid]) -> Tensor:
    """Return the losses that each passage has alone: does it answer, where is the short answer, which sentences do."""
    device = logits.answers.device
    answers = torch.tensor([float(each.answers) for each in group], device=device)
    total = functional.binary_cross_entropy_with_logits(logits.answers, answers)
    for side, places in ((logits.start, [each.start for each in group]), (logits.end, [each.end for each in group])):
        if any(place >= 0 for place in places):
            target = torch.tensor(places, device=device)
            total = total + SHORT / 2 * functional.cross_entropy(side, target, ignore_index=-1)
    rare = torch.tensor(RARE, device=device)
    alone = []
    for of_tokens, each in zip(logits.evidence, group, strict=True):
        target = torch.tensor(each.passage.answering, dtype=torch.float, device=device)
        means = sentence_means(of_tokens, each.passage.ranges)
        alone.append(functional.binary_cross_entropy_with_logits(means, target, pos_weight=rare))
    return total + SENTENCES * torch.stack(alone).mean()


def nearness_of(asked: States, read: States, group: Sequence[Laid]) -> list[Tensor]:
    """Return how near each passage's sentences are to its question, by the encoder and by what ranked the passage."""
    questions = pooled(asked.last, asked.mask)
    of_passages = (questions * pooled(read.last, read.mask)).sum(1)
    found = []
    for question, of_passage, states, each in zip(questions, of_passages, read.last, group, strict=True):
        sentences = functional.normalize(sentence_means(states, each.passage.ranges), dim=-1)
        found.append(sentences @ question + _OF_PASSAGE * of_passage + _RANKED * each.ranked)
    return found


def sentence_means(of_tokens: Tensor, ranges: Sequence[Span]) -> Tensor:
    """Return the mean of each sentence's tokens."""
    return torch.stack([of_tokens[start:end].mean(0) for start, end in ranges])
