"""Run the bundled reader: three layers over a question and a passage together, upon the encoder's lower states.

The encoder reads a passage once for all questions; what depends on the question is read here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from text.encoder.runtime import FOLDER, Asked, States, open_session

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

READER: Final = FOLDER / "reader.onnx"
#: the logit for what holds no text
NOTHING: Final = -10.0


@dataclass(frozen=True)
class Logits:
    """What the reader says of a passage with a question in mind."""

    answers: float  #: that the passage answers the question
    start: NDArray[np.float32]  #: of each token: the short answer starts here, less that there is none
    end: NDArray[np.float32]  #: of each token: the short answer ends here, less that there is none
    evidence: NDArray[np.float32]  #: of each token: it is part of a sentence that answers


class JointLayers:
    """The reader's layers; safe to use from several threads."""

    def __init__(self, *, threads: int = 1) -> None:
        self._session = open_session(READER, threads)

    def read(self, asked: Asked, states: States) -> Logits:
        """Return the logits of the passage's tokens; of several windows, that answers best says whether it answers."""
        import numpy as np

        answers = [NOTHING]
        parts = [np.empty((3, 0), dtype=np.float32)]
        question = asked.lower[np.newaxis]
        # One passage a run, as in the encoder: a passage's logits do not depend on those read with it.
        for lower in states.lower:
            passage = lower[np.newaxis].astype(np.float32)
            whole, *of_tokens = self._session.run(None, {"question": question, "passage": passage})
            start, end, evidence = (logits[0] for logits in of_tokens)
            inside = slice(states.lead, -1)
            # the passage's first mark stands for "there is no short answer"
            parts.append(np.stack([start[inside] - start[0], end[inside] - end[0], evidence[inside]]))
            answers.append(float(whole[0]))
        start, end, evidence = np.concatenate(parts, axis=1)
        return Logits(max(answers), start, end, evidence)
