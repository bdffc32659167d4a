"""Tell whether a sentence goes on with what the one before it says."""

from __future__ import annotations

import re

_GOES_ON = re.compile(
    r"(?:it|its|they|their|them|this|these|that|those|then|otherwise|however|but|instead|in (?:that|this|such an?) case"
    r"|if so|for (?:this|that)|to do (?:this|so)|so|he|she|his|her|both|also"
    r"|er|sie|es|diese[rsmn]?|dann|sonst|aber|jedoch|dabei|dazu|damit|dadurch|daher|in diesem fall"
    r"|il|elle|ils|elles|cel[ua]i?|cela|alors|sinon|mais|dans ce cas)\b",
    re.IGNORECASE,
)


def goes_on(sentence: str) -> bool:
    """Return whether a sentence begins with a word that leans on the sentence before it: "It was built in 1871."."""
    return bool(_GOES_ON.match(sentence))
