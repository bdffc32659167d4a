"""State in Redis that may be lost: progress events, host slots, engine cooldowns."""
