"""Count the characters of text and of links below each element of a page, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Weight:
    """What stands below an element."""

    text: int = 0  #: characters, without the space around each piece
    linked: int = 0  #: those in links
    links: int = 0

    @property
    def unlinked(self) -> int:
        """Return the characters outside of links."""
        return self.text - self.linked

    @property
    def share(self) -> float:
        """Return the share of the text that is in links."""
        return self.linked / self.text if self.text else 0.0


def weigh(root: Any) -> dict[Any, Weight]:
    """Return the weight of each element below ``root``, and its own."""
    found: dict[Any, Weight] = {}
    elements = list(root.iter())
    for element in reversed(elements):  # an element stands before all that is in it
        weight = found.setdefault(element, Weight())
        weight.text += len((element.text or "").strip())
        if element.tag == "a" and element.get("href"):
            weight.linked, weight.links = weight.text, 1
        if element is root:
            break
        above = found.setdefault(element.getparent(), Weight())
        above.text += weight.text + len((element.tail or "").strip())
        above.linked += weight.linked
        above.links += weight.links
    return found
