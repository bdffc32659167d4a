"""What a reader learns from a batch: the marks that people set, and what a teacher says."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.model import MASKED
from training.reader.labels import Labels
from training.reader.model import Batch, Logits
from training.reader.pairs import Numbers, Pairs

#: the weights of the short answer, of each sentence alone, and of the choice among the sentences of the passage that
#: answers, beside those of the whole passage and of the choice among all sentences of a question's passages
SHORT, SENTENCES, WITHIN = 0.5, 0.5, 0.3
#: how much more a sentence that answers counts than one that does not: there are fewer of them
RARE: Final = 2.0
#: how much the passage's logit counts in the choice beside the sentence's own
PASSAGE: Final = 0.5
#: of a teacher: the square of how far the passage's logits are apart, and the short answer, where it is this sure
_APART, _SHORT_SAID, _SURE = 0.02, 0.24, 2.0
#: the weight of the marks beside what a teacher says
MARKS: Final = 0.4


class Losses:
    """The losses of batches of pairs; ``none``, the logit that no sentence answers, serves training alone."""

    def __init__(self, pairs: Pairs, labels: Labels | None, on: torch.device) -> None:
        self.none = nn.Parameter(torch.zeros((), device=on))
        self._pairs, self._labels = pairs, labels

    def __call__(self, logits: Logits, batch: Batch, some: Numbers) -> Tensor:
        """Return the loss of pairs (questions, pairs of each): of their marks, and of what the teacher says of them."""
        marked = self._of_marks(logits, batch, some)
        if self._labels is None or not self._labels.known[some].all():
            return marked
        return MARKS * marked + self._of_teacher(logits, batch, some, self._labels)

    def _of_marks(self, logits: Logits, batch: Batch, some: Numbers) -> Tensor:
        flat, device = some.reshape(-1), logits.answers.device
        right = torch.from_numpy(self._pairs.right[flat]).to(device)
        answers = torch.from_numpy(self._pairs.answers[flat]).to(device).float()
        short = torch.from_numpy(self._pairs.short[flat]).to(device)
        total = functional.binary_cross_entropy_with_logits(logits.answers, answers)
        total = total + _of_short(logits, batch, short, short[:, 0] >= 0, SHORT)
        total = total + SENTENCES * _of_sentences(logits, batch, right.float(), rare=RARE)
        if bool(right.any()):
            chances = functional.log_softmax(logits.sentences, 1).masked_fill(~right, 0.0).sum(1) / right.sum(1)
            total = total - WITHIN * chances[right.any(1)].mean()
        chosen = functional.pad(_choice(logits, some.shape), (1, 0))
        chosen[:, 0] = self.none
        target = right.view(len(chosen), -1)
        target = torch.cat([~target.any(1, keepdim=True), target], 1)
        return total - functional.log_softmax(chosen, 1).masked_fill(~target, MASKED).logsumexp(1).mean()

    def _of_teacher(self, logits: Logits, batch: Batch, some: Numbers, labels: Labels) -> Tensor:
        flat, device = some.reshape(-1), logits.answers.device
        said = [torch.from_numpy(each[flat]).to(device) for each in (labels.answers, labels.sentences, labels.short)]
        answers, sentences, short = said
        total = functional.binary_cross_entropy_with_logits(logits.answers, answers.sigmoid())
        total = total + _APART * (logits.answers - answers).square().mean()
        total = total + _of_sentences(logits, batch, sentences.sigmoid())
        # where nobody wrote the short answer
        unknown = torch.from_numpy(self._pairs.short[flat, 0] < 0).to(device)
        total = total + _of_short(logits, batch, short, unknown & (answers > _SURE) & (short[:, 0] > 0), _SHORT_SAID)
        theirs = Logits(answers, logits.start, logits.end, sentences.masked_fill(batch.sentences[..., 1] == 0, MASKED))
        mine, wanted = (functional.log_softmax(_choice(each, some.shape), 1) for each in (logits, theirs))
        return total + functional.kl_div(mine, wanted, log_target=True, reduction="batchmean")


def _of_short(logits: Logits, batch: Batch, short: Tensor, known: Tensor, weight: float) -> Tensor:
    """Return the loss of the first and the last token of the short answer, where it is known."""
    if not bool(known.any()):
        return logits.answers.new_zeros(())
    places = batch.asked[known, None] + short[known]
    sides = ((logits.start, places[:, 0]), (logits.end, places[:, 1]))
    return weight / 2 * torch.stack([functional.cross_entropy(side[known], place) for side, place in sides]).sum()


def _of_sentences(logits: Logits, batch: Batch, target: Tensor, *, rare: float = 1.0) -> Tensor:
    """Return the loss of each sentence alone, the mean of each passage's."""
    there = (batch.sentences[..., 1] > 0).float()
    each = functional.binary_cross_entropy_with_logits(
        logits.sentences, target, pos_weight=target.new_tensor(rare), reduction="none"
    )
    return ((each * there).sum(1) / there.sum(1).clamp(min=1)).mean()


def _choice(logits: Logits, shape: tuple[int, ...]) -> Tensor:
    """Return the logits of all sentences of a question's passages: (questions, sentences)."""
    return (logits.sentences + PASSAGE * logits.answers[:, None]).view(shape[0], -1)
