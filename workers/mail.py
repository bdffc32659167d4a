"""Sends e-mail through the operator's SMTP server (``WELLREAD_SMTP_URL``)."""

import re
import smtplib
import ssl
from contextlib import suppress
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Final
from urllib.parse import unquote, urlsplit

from crawler.fetch.guard import EgressForbidden
from domain.errors import WellreadError
from workers.settings import LOOPBACK, Settings

SCHEME: Final = "mailto:"
#: the server has so long for each reply
TIMEOUT_S: Final = 10.0
_ADDRESS: Final = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*", re.ASCII | re.I)


class BadEmail(WellreadError):
    """No e-mail can be sent to this address, or none at all."""


def check(settings: Settings, address: str) -> str:
    """Return an address to which e-mail can be sent; raises BadEmail."""
    if not settings.smtp_url or not settings.smtp_from:
        raise BadEmail("No e-mail can be sent: the operator sets WELLREAD_SMTP_URL and WELLREAD_SMTP_FROM for that.")
    try:
        is_one = bool(_ADDRESS.fullmatch(address)) and Address(addr_spec=address).addr_spec == address
    except (HeaderParseError, ValueError):
        is_one = False
    if not is_one:
        raise BadEmail(f"{address[:80]!r} is not the address of one receiver: write it as anna@example.org.")
    return address


def server_of(settings: Settings) -> tuple[str, int]:
    """Return the host and port of the operator's SMTP server."""
    server = urlsplit(settings.smtp_url.get_secret_value())
    return server.hostname or "", server.port or (465 if server.scheme == "smtps" else 587)


def send(settings: Settings, address: str, *, title: str, text: str, message_id: str) -> str | None:
    """Send an e-mail; return what went wrong, if anything."""
    server = urlsplit(settings.smtp_url.get_secret_value())
    try:
        check(settings, address)
        host, port = server_of(settings)
        if not settings.may_connect(host, port):
            raise EgressForbidden(f"e-mail by {host}:{port}", settings.egress)
        message = EmailMessage()
        message["Subject"] = " ".join(title.split())[:200]
        message["From"], message["To"] = Address(addr_spec=settings.smtp_from), Address(addr_spec=address)
        message["Message-ID"] = f"<{message_id}@{settings.smtp_from.rpartition('@')[2]}>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
        _deliver(message, server.scheme, host, port, server.username, server.password)
    except (BadEmail, EgressForbidden) as error:
        return str(error)
    except (smtplib.SMTPException, OSError) as error:
        return f"the SMTP server {server.hostname}: {error or type(error).__name__}"
    return None


def _deliver(message: EmailMessage, scheme: str, host: str, port: int, user: str | None, password: str | None) -> None:
    trusted = ssl.create_default_context()
    client: smtplib.SMTP
    if scheme == "smtps":
        client = smtplib.SMTP_SSL(host, port, timeout=TIMEOUT_S, context=trusted)
    else:
        client = smtplib.SMTP(host, port, timeout=TIMEOUT_S)
    try:
        client.ehlo_or_helo_if_needed()
        if scheme == "smtp" and client.has_extn("starttls"):
            client.starttls(context=trusted)
        elif scheme == "smtp" and user and host not in LOOPBACK:
            raise smtplib.SMTPException("it offers no STARTTLS, so it gets no password: use smtps:// or another port")
        if user:
            client.login(unquote(user), unquote(password or ""))
        client.send_message(message)
    finally:
        with suppress(smtplib.SMTPException, OSError):
            client.quit()
