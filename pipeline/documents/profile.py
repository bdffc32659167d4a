"""The settings that ``WELLREAD_PROFILE=documents`` sets at once, as the design documents have them.

A setting that is given explicitly wins; the names in WELLREAD_ENHANCEMENTS change what the profile switches on. What is
not here is by default as the documents say: two hits of .7, three variants, twice the hits up to 20, k = 60.
"""

from collections.abc import Mapping
from typing import Any

#: setting → value
DOCUMENTS: Mapping[str, Any] = {
    "judge": "document",
    "stop": "document",
    "fusion": "rrf",
    "reranker": "hybrid",
    "final_top_k": 5,
    "enhancements": ("all",),
}
