"""Define the variants of a question, and their success."""

from dataclasses import dataclass
from typing import Literal

VariantKind = Literal["paraphrase", "perspective_shift", "keyword_focus"]


@dataclass(frozen=True, kw_only=True)
class Variant:
    """Another wording of a question."""

    kind: VariantKind
    text: str


@dataclass(frozen=True, kw_only=True)
class VariantKey:
    """The key of stored variants."""

    question: str  #: folded, without needless space
    lang: str
    maker: str  #: the model's name
    count: int


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How often a kind of variant was tried for a type of question, and how often it led to a citation."""

    tried: int = 0
    rewarded: int = 0
