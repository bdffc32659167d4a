"""The interfaces of Wellread: HTTP, the web page, the command line."""

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """Return the installed version; a source tree that is not installed has none."""
    try:
        return version("wellread")
    except PackageNotFoundError:
        return "0 (not installed)"


def sentence(text: str) -> str:
    """Return the text with a full stop, so that another sentence can follow."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
