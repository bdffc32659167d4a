"""Search engines: one a file, all asked the same way (``Query`` to ``Reply``) through the one guarded client."""

from crawler.search.engine import Engine, Manners, Query, Reply
from crawler.search.errors import EngineError
from crawler.search.fusion import RRF_K, fuse
from crawler.search.search_all import Asked, Found, search_all

__all__ = [
    "RRF_K",
    "Asked",
    "Engine",
    "EngineError",
    "Found",
    "Manners",
    "Query",
    "Reply",
    "fuse",
    "search_all",
]
