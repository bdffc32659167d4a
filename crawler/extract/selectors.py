"""Apply a source's CSS selectors to its pages: what counts as content, and what does not."""

import hashlib
from collections.abc import Iterable, Set
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from cssselect2 import ElementWrapper, SelectorError, compile_selector_list

from crawler.extract.visibility import take_out
from domain.errors import WellreadError


class BadSelector(WellreadError):
    """A CSS selector cannot be used; the message names it and the place."""


@dataclass(frozen=True, kw_only=True)
class Selectors:
    """What is content of a source's pages; without any, each page's main content is found."""

    select: tuple[str, ...] = ()  #: what counts, as it stands
    drop: tuple[str, ...] = ()  #: what does not

    @property
    def version(self) -> str:
        """A name that changes with the selectors; "" without any."""
        given = repr((self.select, self.drop)).encode()
        return f".{hashlib.blake2b(given, digest_size=4).hexdigest()}" if self.select or self.drop else ""

    def apply(self, tree: Any) -> None:
        """Take out of a page in place what does not count; links and metadata must be read already."""
        if not self.version:
            return
        page = ElementWrapper.from_html_root(tree)
        dropped = [found.etree_element for found in page.query_all(*self.drop)]
        chosen = {found.etree_element for found in page.query_all(*self.select)}
        for element in dropped:
            take_out(element)
        if self.select and tree not in chosen and (body := tree.find("body")) is not None:
            _leave_only(chosen, body, tree)


def _leave_only(chosen: Set[Any], body: Any, tree: Any) -> None:
    """Take out of a page's body all but the chosen elements; what is around them and the styles may hide them."""
    above = {parent for element in chosen for parent in element.iterancestors()}
    styles = [deepcopy(style) for style in body.iter("style")]
    for style in styles:
        style.tail = None
    waiting = [body]
    while waiting:
        element = waiting.pop()
        if element in chosen:
            continue
        if element not in above:
            take_out(element)
            continue
        element.text = None
        for child in element:
            child.tail = None
            waiting.append(child)
    tree[0:0] = styles


#: the main content is found
NONE: Final = Selectors()


def check(selectors: Iterable[str]) -> None:
    """Raise BadSelector for one that cannot be read, or that no element of a page can match."""
    for selector in selectors:
        try:
            parts = compile_selector_list(selector)
        except SelectorError as error:
            token, why = error.args
            at = getattr(token, "source_column", 0) or (selector.find(why) + 1) or len(selector) + 1
            raise BadSelector(
                f"The selector {selector!r} cannot be read at character {at}: {_said(token, why)}."
            ) from None
        except (SyntaxError, RecursionError, MemoryError):
            raise BadSelector(f"The selector {selector!r} has too many parts.") from None
        if any(part.never_matches or part.pseudo_element for part in parts):
            raise BadSelector(
                f"The selector {selector!r} matches no element: leave out states such as :hover, and ::before."
            )


def _said(token: object, why: str) -> str:
    return f"{token} {why!r}" if isinstance(token, str) else why.rstrip(".")
