"""The root of every error Wellread raises on purpose; each subclass lives beside the code that raises it."""


class WellreadError(Exception):
    """Something went wrong that the caller can act on; the message says what happened and what to do."""
