"""The interfaces of Wellread: HTTP, the web page, the command line."""

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """Return the installed version; a source tree that is not installed has none."""
    try:
        return version("wellread")
    except PackageNotFoundError:
        return "0 (not installed)"
