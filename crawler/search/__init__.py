"""Search engines: one a file, all asked the same way (``Query`` to ``Reply``) through the one guarded client."""

from crawler.search.engine import Engine, EngineReply, Query, RateLimit
from crawler.search.errors import EngineError
from crawler.search.fusion import RRF_K, fuse
from crawler.search.search_all import EnginesAsked, Found, search_all

__all__ = [
    "RRF_K",
    "Engine",
    "EngineError",
    "EngineReply",
    "EnginesAsked",
    "Found",
    "Query",
    "RateLimit",
    "fuse",
    "search_all",
]
