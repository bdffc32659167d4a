"""Tell by its class that an element holds other matters of a site: comments, related pages, adverts, links to share."""

from __future__ import annotations

import re
from typing import Any

_NAMES = re.compile(
    r"(?:^|[\s_-])(?:comments?|comment-?list|respond|disqus|related\w*|recommend\w*|recirc\w*|more-?(?:from|stories|news|on)|"
    r"read-?(?:more|next|also)|also-?(?:read|like)|trending|popular|most-?read|latest|share\w*|sharing|social\w*|follow|"
    r"newsletter|subscri\w*|sign-?up|promo\w*|sponsor\w*|advert\w*|ads?|banner|outbrain|taboola|widgets?|sidebar|"
    r"author-?(?:bio|box|info)|about-?author|byline|tags?|tag-?list|post-?meta|entry-?meta|copyright|cookie\w*|consent|"
    r"portable-archive|teaser|paywall|print|donate|poll|rating|reviews?|upsell|cart|product-?grid)(?:$|[\s_-])"
)
MAX_NAMES = 300  #: characters
_BLOCKS = frozenset("div section aside ul ol p table article form footer header figure h2 h3 h4 h5 span".split())


def is_aside(element: Any) -> bool:
    """Return whether an element's class or id names other matters of a site."""
    if element.tag == "aside" and element.find(".//a[@href]") is not None:  # others are notes
        return True
    names = names_of(element)
    return len(names) > 1 and element.tag in _BLOCKS and _NAMES.search(names) is not None


def names_of(element: Any) -> str:
    """Return an element's classes and its id in lower case, with a space between; of hostile lengths the beginning."""
    return f"{element.get('class', '')[:MAX_NAMES]} {element.get('id', '')[:MAX_NAMES]}".lower()
