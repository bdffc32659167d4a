"""The interfaces of Wellread: HTTP, the web page, the command line."""


def installed_version() -> str:
    """Return the installed version; a source tree that is not installed has none."""
    from importlib.metadata import PackageNotFoundError, version  # a third of the time that `--help` takes

    try:
        return version("wellread")
    except PackageNotFoundError:
        return "0 (not installed)"


def sentence(text: str) -> str:
    """Return the text with a full stop, so that another sentence can follow."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
