"""Run the bundled reader: six layers over the words of a question and of a passage together."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from text.encoder.runtime import (
    CLS,
    DIMENSION,
    FOLDER,
    MAX_TOKENS,
    SEP,
    ModelFileBroken,
    open_session,
    open_tokenizer,
    tokens_of,
    word_vectors,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

READER: Final = FOLDER / "reader.onnx"
#: the logit for what holds no text
NOTHING: Final = -10.0
#: the reader was trained with at most as many of a question, and of a title
QUESTION_TOKENS, TITLE_TOKENS = 48, 24
#: of a passage: more than 180 words have in any language, and less than text without a blank would cost
PASSAGE_TOKENS: Final = 900
_INPUTS, _OUTPUTS = ["question", "passage"], ["answers", "start", "end", "evidence"]


@dataclass(frozen=True)
class Logits:
    """What the reader says of a passage with a question in mind."""

    spans: list[tuple[int, int]]  #: of each token in the passage's text, in characters
    answers: float  #: that the passage answers the question
    start: "NDArray[np.float32]"  #: of each token: the short answer starts here, less that there is none
    end: "NDArray[np.float32]"  #: of each token: the short answer ends here, less that there is none
    evidence: "NDArray[np.float32]"  #: of each token: it is part of a sentence that answers


class JointLayers:
    """The tokenizer, the word vectors and the reader's layers; safe to use from several threads."""

    def __init__(self, *, threads: int = 1) -> None:
        self._tokenizer = open_tokenizer()
        self._words = word_vectors()
        self._session = open_session(READER, threads)
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        names = [each.name for each in (*inputs, *outputs)]
        sizes = {each.shape[-1] for each in inputs}
        if names != [*_INPUTS, *_OUTPUTS] or sizes != {DIMENSION}:
            raise ModelFileBroken(READER, f"it is of another model ({', '.join(names)}; {sizes})")

    def read(self, question: str, title: str, text: str) -> Logits:
        """Return the logits of a passage below its title, a long one read in windows of like length.

        Tokens beyond the first 900 have none. Of several windows, that answers best says whether the passage answers.
        """
        import numpy as np

        asked = [CLS, *tokens_of(self._tokenizer, question)[0][:QUESTION_TOKENS], SEP]
        lead = [CLS, *tokens_of(self._tokenizer, title)[0][:TITLE_TOKENS]]
        ids, spans = tokens_of(self._tokenizer, text)
        ids, spans = ids[:PASSAGE_TOKENS], spans[:PASSAGE_TOKENS]
        windows = -(-len(ids) // (MAX_TOKENS - len(lead) - 1))
        answers = [NOTHING]
        parts = [np.empty((3, 0), dtype=np.float32)]
        # One window a run: int8 activations share one scale a run, so that in a batch a passage's logits would depend
        # on those read with it. It is also the fastest on a CPU.
        for number in range(windows):
            here = ids[number * len(ids) // windows : (number + 1) * len(ids) // windows]
            words = self._words.of(asked)[None], self._words.of([*lead, *here, SEP])[None]
            whole, *of_tokens = self._session.run(_OUTPUTS, dict(zip(_INPUTS, words, strict=True)))
            start, end, evidence = (logits[0] for logits in of_tokens)
            inside = slice(len(lead), -1)
            # the passage's first mark stands for "there is no short answer"
            parts.append(np.stack([start[inside] - start[0], end[inside] - end[0], evidence[inside]]))
            answers.append(float(whole[0]))
        start, end, evidence = np.concatenate(parts, axis=1)
        return Logits(spans, max(answers), start, end, evidence)
