"""Says where webhooks may be sent."""

from crawler import urls
from crawler.fetch.guard import Blocked, NotPublic
from domain.errors import WellreadError
from workers.egress import guard
from workers.questions import replies
from workers.services import Services


class BadCallback(WellreadError):
    """Nothing may be sent to this address."""


def check_callback(services: Services, url: str, owner: str | None = None, *, of_question: bool = True) -> str:
    """Return the receiver's absolute URL; raises BadCallback.

    Only the operator's allowed hosts, and those of the owner's key, may be private: permission to read a site is no
    permission to post to it. A task's address is returned as it is, if a question may name it;
    raises ReplyRefused for one that is not allowed.
    """
    if of_question and replies.is_reply(url):
        replies.check(services.settings, url)
        return url
    try:
        whole = urls.absolute(url)
        guard(services.settings, allowed=services.callback_hosts_of(owner)).check(whole)
    except NotPublic as error:
        raise BadCallback(not_sent(error)) from error
    except (urls.BadUrl, Blocked) as error:
        raise BadCallback(f"No webhook can be sent there: {error}") from error
    return whole


def not_sent(error: NotPublic) -> str:
    """Return why no webhook is sent to an address, and who can change that."""
    return (
        f"No webhook is sent there: {error.problem}. If the receiver is yours, an operator can let it through for one "
        "key, with `wellread keys limit NAME --callback-host HOST`, or for all, with WELLREAD_ALLOW_HOSTS."
    )
