"""What a process keeps in Redis: the broker, events, and what is forgotten with them."""

import threading
from typing import TYPE_CHECKING

from domain.access import Collection
from workers.services.cached import cached
from workers.settings import Settings

if TYPE_CHECKING:
    from redis import Redis

    from store.ephemeral.events import Events, Memory
    from store.ephemeral.marks import Erasures, TraceParents
    from store.ephemeral.slots import EngineCooldowns, Receivers, Slots
    from store.ephemeral.turns import Turns

#: of a host slot, for work that is no fetch
TURN_SLACK_S = 5.0
#: a receiver of webhooks has so long to answer
WEBHOOK_S = 10.0


class RedisAccess:
    """The clients of Redis of a process, and what they keep there, each opened on first use."""

    settings: Settings
    collection: Collection
    lock: threading.RLock

    @cached
    def redis(self) -> "Redis":
        """The broker, as a plain client."""
        from redis import Redis

        return Redis.from_url(self.settings.redis, socket_connect_timeout=5, socket_timeout=10)

    @cached
    def events_redis(self) -> "Redis":
        """The Redis of events: the broker, unless there is another one."""
        from redis import Redis

        if not self.settings.events_redis_url:
            return self.redis
        return Redis.from_url(self.settings.events_redis, socket_connect_timeout=5, socket_timeout=10)

    @cached
    def broker_memory(self) -> "Memory":
        """How full the broker is."""
        from store.ephemeral.events import Memory

        return Memory(self.redis)

    @cached
    def events(self) -> "Events":
        """The events of each question's progress."""
        from store.ephemeral.events import Events

        return Events(self.events_redis, self._prefix)

    @cached
    def turns(self) -> "Turns":
        """When those who were refused may come again."""
        from store.ephemeral.turns import Turns

        return Turns(self.redis, self._prefix)

    @cached
    def erasures(self) -> "Erasures":
        """What is to be erased from the disk."""
        from store.ephemeral.marks import Erasures

        return Erasures(self.redis, self._prefix)

    @cached
    def host_slots(self) -> "Slots":
        """Slots at hosts; a slot lasts as long as reading one page may take."""
        from crawler.browser.render import RenderBounds
        from store.ephemeral.slots import Slots

        # robots.txt, then the page, then its scripts
        longest_s = 2 * self.settings.fetch_deadline_s + RenderBounds().deadline_s + TURN_SLACK_S
        return Slots(self.redis, longest_s=longest_s)

    @cached
    def receivers(self) -> "Receivers":
        """Deliveries of webhooks that are under way."""
        from store.ephemeral.slots import Receivers

        return Receivers(self.redis, longest_s=WEBHOOK_S + TURN_SLACK_S)

    @cached
    def trace_parents(self) -> "TraceParents":
        """Where the traces of questions began."""
        from store.ephemeral.marks import TraceParents

        return TraceParents(self.redis)

    @cached
    def engine_cooldowns(self) -> "EngineCooldowns":
        """The engines that are cooling down."""
        from store.ephemeral.slots import EngineCooldowns

        return EngineCooldowns(self.redis)

    def close_redis(self) -> None:
        """Close the clients that were opened."""
        for name in ("redis", "events_redis"):
            if name in vars(self):
                vars(self)[name].close()

    @property
    def _prefix(self) -> str:
        """What the keys of a collection begin with."""
        return "" if self.collection.is_default else self.collection.id
