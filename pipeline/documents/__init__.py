"""The design documents' own rules that measured worse than the default; one setting switches each on, a profile all.

The judge, the rerankers and the filter of quality in this folder are those of the documents. The default's are in
``pipeline/judging`` and ``pipeline/retrieval``.
"""

from collections.abc import Mapping
from typing import Any

#: what ``WELLREAD_PROFILE=documents`` sets at once: setting → value. A setting that is given explicitly wins, and the
#: names in WELLREAD_ENHANCEMENTS change what the profile switches on. What is not here is by default as the documents
#: say: two hits of .7, three variants, twice the hits up to 20, k = 60
DOCUMENTS: Mapping[str, Any] = {
    "judge": "document",
    "stop": "document",
    "fusion": "rrf",
    "reranker": "hybrid",
    "final_top_k": 5,
    "enhancements": ("all",),
}
