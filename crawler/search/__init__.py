"""Search engines: each in its own file, all asked the same way (``Query`` to ``EngineReply``) by the guarded client."""
