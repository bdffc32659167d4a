"""What the reader learns from a group of examples: whether a passage answers, and where."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from training.examples import Span
from training.model import MASKED, Encoder
from training.reader.examples import Laid
from training.reader.model import Logits, Reader
from training.tokens import pad

#: the weights of the short answer and of the sentences, beside that of the whole passage
SHORT, SENTENCES = 0.5, 0.7
#: how much more a sentence that answers counts than one that does not: there are fewer of them
RARE = 2.0


def read(lower: Encoder, reader: Reader, questions: Sequence[list[int]], passages: Sequence[list[int]]) -> Logits:
    """Return the logits of questions and passages; those of padding are so low that nothing is there."""
    device = next(reader.parameters()).device
    asked, of_asked = pad(questions, device)
    ids, mask = pad(passages, device)
    with torch.no_grad(), torch.autocast(device.type, dtype=torch.bfloat16):
        question, passage = lower(asked, of_asked), lower(ids, mask)
    logits = reader(question, of_asked, passage, mask)
    absent = (1.0 - mask) * MASKED
    return Logits(logits.answers, logits.start + absent, logits.end + absent, logits.evidence + absent)


def loss_of(lower: Encoder, reader: Reader, group: Sequence[Laid]) -> Tensor:
    """Return the sum of the losses: of the passage, the short answer, each sentence, and the choice of a sentence."""
    logits = read(lower, reader, [each.question for each in group], [each.passage.ids for each in group])
    device = logits.answers.device
    answers = torch.tensor([float(each.answers) for each in group], device=device)
    total = functional.binary_cross_entropy_with_logits(logits.answers, answers)
    for side, places in ((logits.start, [each.start for each in group]), (logits.end, [each.end for each in group])):
        if any(place >= 0 for place in places):
            target = torch.tensor(places, device=device)
            total = total + SHORT / 2 * functional.cross_entropy(side, target, ignore_index=-1)
    alone, chosen = [], []
    for of_tokens, each in zip(logits.evidence, group, strict=True):
        if each.passage.ranges:
            means = sentence_means(of_tokens, each.passage.ranges)
            target = torch.tensor(each.passage.answering, dtype=torch.float, device=device)
            rare = torch.tensor(RARE, device=device)
            alone.append(functional.binary_cross_entropy_with_logits(means, target, pos_weight=rare))
            if target.any():
                chosen.append(-(functional.log_softmax(means, 0) * target).sum() / target.sum())
    for losses in (alone, chosen):
        if losses:
            total = total + SENTENCES * torch.stack(losses).mean()
    return total


def sentence_means(of_tokens: Tensor, ranges: Sequence[Span]) -> Tensor:
    """Return the mean of each sentence's tokens."""
    return torch.stack([of_tokens[start:end].mean() for start, end in ranges])
