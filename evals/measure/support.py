"""Measure how well unsupported sentences are told from supported ones, by words alone.

The set ``evals/sets/claims.tsv`` has claims with the quote that they cite, in English and German, and
``claims_translated.tsv`` claims whose quote is in another language. The bounds were chosen on one half of the topics;
the figures that count are those of the other half.

    python -m evals.measure.support
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.answering.support.check import Quoted, why_unsupported

_SETS = Path(__file__).parent.parent / "sets"
#: claims in the language of their quote, and in another
CLAIMS, TRANSLATED = _SETS / "claims.tsv", _SETS / "claims_translated.tsv"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A sentence with the quote it cites."""

    half: str  #: "tune" or "report"
    lang: str
    kind: str
    supported: bool
    question: str
    claim: str
    quote: str
    of: str = ""  #: the quote's language, where it is another

    def why_left_out(self) -> str:
        """Return why the sentence would not stay in an answer; "" where it would."""
        quoted = Quoted(text=self.quote, title="", lang=self.of or self.lang)
        return why_unsupported(self.claim, [quoted], self.question, lang=self.lang)

    def is_kept(self) -> bool:
        """Return whether the sentence would stay in an answer."""
        return not self.why_left_out()


def read_claims(half: str, file: Path = CLAIMS) -> list[Claim]:
    """Return the claims of one half of the topics."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        claims = [Claim(**row | {"supported": row["supported"] == "yes"}) for row in rows]
    return [claim for claim in claims if claim.half == half]


def measure_support(claims: Sequence[Claim]) -> dict[str, float]:
    """Return the share of supported claims that are kept, and of unsupported ones that are left out."""
    kept = [claim.is_kept() for claim in claims if claim.supported]
    left_out = [not claim.is_kept() for claim in claims if not claim.supported]
    return {"kept": sum(kept) / len(kept), "left_out": sum(left_out) / len(left_out)}


def by_kind(claims: Iterable[Claim]) -> Mapping[str, tuple[int, int]]:
    """Return how many of each kind are told rightly, and how many there are."""
    found: dict[str, list[bool]] = defaultdict(list)
    for claim in claims:
        found[f"{claim.kind}{'' if claim.supported else ' (not supported)'}"].append(claim.is_kept() == claim.supported)
    return {kind: (sum(right), len(right)) for kind, right in sorted(found.items())}


def main() -> None:
    """Print the figures of both halves, the kinds of the other half, and what is told wrongly in the first."""
    for file in (CLAIMS, TRANSLATED):
        print(file.name)
        for half in ("tune", "report"):
            figures = measure_support(read_claims(half, file))
            print(f"{half}: " + ", ".join(f"{name} {value:.3f}" for name, value in figures.items()))
        for kind, (right, count) in by_kind(read_claims("report", file)).items():
            print(f"  {kind}: {right}/{count}")
        for claim in read_claims("tune", file):
            if claim.is_kept() != claim.supported:
                why = claim.why_left_out() or "kept"
                print(f"  wrong in tune: {claim.kind}: {claim.claim} | {claim.quote} ({why})")


if __name__ == "__main__":
    main()
