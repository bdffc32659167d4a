"""Parse HTML or XHTML to an lxml tree, and find the elements that hold boilerplate, not the page's own content."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

import lxml.html
from lxml import etree

#: libxml2 compares each attribute of an element with all others: a hundred thousand of them take minutes
_MOST_ATTRIBUTES = 1_000
#: which a shorter document has no harmful number of
_LONG = 40_000
#: each start of a tag with its attributes, whose quoted values may hold < and >; no character is looked at twice
_TAG = re.compile(r"<([a-zA-Z][^\s/<>]*+)((?:[^<>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+)(>?)")
XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
#: of every tag, decided without Python: lxml.html's own choice of a class is a call for each element, at each visit
_CLASSES = etree.ElementDefaultClassLookup(element=lxml.html.HtmlElement)
_NAMES = re.compile(
    r"(?:^|[\s_-])(?:comments?|comment-?list|respond|disqus|related\w*|recommend\w*|recirc\w*|more-?(?:from|stories|news|on)|"
    r"read-?(?:more|next|also)|also-?(?:read|like)|trending|popular|most-?read|latest|share\w*|sharing|social\w*|follow|"
    r"newsletter|subscri\w*|sign-?up|promo\w*|sponsor\w*|advert\w*|ads?|banner|outbrain|taboola|(?<!elementor.)widgets?|sidebar|"
    r"author-?(?:bio|box|info)|about-?author|byline|tags?|tag-?list|post-?meta|entry-?meta|copyright|cookie\w*|consent|"
    r"portable-archive|teaser|paywall|print|donate|poll|rating|reviews?|upsell|cart|product-?grid)(?:$|[\s_-])"
)
MAX_NAMES = 300  #: characters
_MOST_SCRIPTS, _MAX_JSON = 20, 200_000  #: of JSON-LD; characters of each
_BLOCKS = frozenset("div section aside ul ol p table article form footer header figure h2 h3 h4 h5 span".split())


def _short(tag: re.Match[str]) -> str:
    is_short = tag.end(2) - tag.start(2) <= 3 * _MOST_ATTRIBUTES
    few = is_short or len(tag[2].split(None, _MOST_ATTRIBUTES)) <= _MOST_ATTRIBUTES
    return tag[0] if few else f"<{tag[1]}>"


def parse(text: str) -> Any | None:
    """Parse a document, without network and comments; None for one without an element, instead of an error."""
    if len(text) > _LONG:
        text = _TAG.sub(_short, text)
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    parser.set_element_class_lookup(_CLASSES)
    try:
        tree = lxml.html.document_fromstring(XML_DECLARATION.sub("", text).encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
    for template in tree.xpath("//template[@shadowrootmode]"):
        _show_shadow_root(template)
    return tree


def _show_shadow_root(template: Any) -> None:
    """Put a declared shadow root in the place of its host's content, which goes into its slots or is not shown."""
    host = template.getparent()
    if host is None:
        return
    given: dict[str, list[Any]] = {}
    words = (host.text or "") + (template.tail or "")
    host.text = template.tail = None
    for child in [child for child in host if child is not template]:
        host.remove(child)
        if (name := child.get("slot", "")) and child.tail:
            after, child.tail = child.tail, None
            if unnamed := given.get(""):
                unnamed[-1].tail = (unnamed[-1].tail or "") + after
            else:
                words += after
        given.setdefault(name, []).append(child)
    for slot in template.findall(".//slot"):
        name = slot.get("name", "")
        content, text = given.pop(name, []), "" if name else words
        if content or text.strip():  # else the default content of the slot is shown
            slot[:], slot.text = content, text
        words, slot.tag = words if name else "", "span"
    template.tag = "div"


def linked_data(tree: Any) -> Iterator[Any]:
    """Yield what the page's JSON-LD says, of so many scripts and so much of each as is no attack."""
    scripts = (script for script in tree.iter("script") if "ld+json" in script.get("type", "").lower())
    for script in islice(scripts, _MOST_SCRIPTS):
        with suppress(ValueError, RecursionError):
            if len(script.text or "") <= _MAX_JSON:
                yield json.loads(script.text or "", strict=False)


def is_aside(element: Any) -> bool:
    """Return whether an element's class or id names boilerplate: comments, adverts, sharing."""
    if element.tag == "aside" and element.find(".//a[@href]") is not None:  # others are notes
        return True
    return element.tag in _BLOCKS and len(names := names_of(element)) > 1 and _NAMES.search(names) is not None


def names_of(element: Any) -> str:
    """Return an element's classes and its id in lower case, with a space between; of hostile lengths the beginning."""
    return f"{element.get('class', '')[:MAX_NAMES]} {element.get('id', '')[:MAX_NAMES]}".lower()
