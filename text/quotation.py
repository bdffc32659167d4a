"""Put words between the quotation marks of a language."""

_ENGLISH = ("“", "”")
#: by ISO 639-1: what opens and what closes
_MARKS: dict[str, tuple[str, str]] = {
    "de": ("„", "“"),
    "fr": ("«\u00a0", "\u00a0»"),
    "es": ("«", "»"),
    "it": ("«", "»"),
    "pt": ("«", "»"),
    "pl": ("„", "”"),
    "ru": ("«", "»"),
    "ja": ("「", "」"),
}
#: every mark that opens a quotation
OPENING = tuple(dict.fromkeys(opening for opening, _ in (_ENGLISH, *_MARKS.values())))


def quoted(words: str, lang: str) -> str:
    """Return the words between the marks of a language (ISO 639-1), or English ones where it has none here."""
    opening, closing = _MARKS.get(lang, _ENGLISH)
    return f"{opening}{words}{closing}"
