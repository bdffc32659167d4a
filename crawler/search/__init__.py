"""Search engines, all asked the same way (``Query`` to ``EngineReply``) by the guarded client.

They are listed in ``ENGINES`` of :mod:`crawler.search.engine`.
"""
