"""A server on loopback that speaks as much SMTP as is needed to take a message: by TLS or not, with a login or none."""

from __future__ import annotations

import base64
import socketserver
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from tests.crawler.hostile import CERTIFICATE


class MailServer(socketserver.ThreadingTCPServer):
    """What was sent to it, and what it asks for."""

    daemon_threads = True
    refuses = False  #: every receiver

    def __init__(self, tls: str, login: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.tls, self.login = tls, login
        self.got: list[bytes] = []
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(CERTIFICATE)  # for "localhost"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that hung up, as one does that trusts no such certificate."""


class _Handler(socketserver.StreamRequestHandler):
    server: MailServer
    is_secure = is_in = False

    def handle(self) -> None:
        if self.server.tls == "smtps":
            self._secure()
        self._say("220 ready")
        while line := self.rfile.readline():
            match line.split()[0].upper():
                case b"EHLO":
                    self._say("250-localhost")
                    if self.server.tls == "starttls" and not self.is_secure:
                        self._say("250-STARTTLS")
                    self._say("250 AUTH PLAIN" if self.server.login else "250 HELP")
                case b"STARTTLS":
                    self._say("220 go on")
                    self._secure()
                case b"AUTH":
                    given = base64.b64decode(line.split()[2]).decode().strip("\0").replace("\0", ":")
                    self.is_in = given == self.server.login and self.is_secure
                    self._say("235 welcome" if self.is_in else "535 wrong user or password")
                case b"MAIL" if self.server.login and not self.is_in:
                    self._say("530 log in first")
                case b"RCPT" if self.server.refuses:
                    self._say("550 no such box")
                case b"DATA":
                    self._say("354 go on")
                    self.server.got.append(b"".join(iter(self.rfile.readline, b".\r\n")))
                    self._say("250 taken")
                case b"QUIT":
                    self._say("221 bye")
                    return
                case _:
                    self._say("250 ok")

    def finish(self) -> None:
        super().finish()
        self.request.close()

    def _secure(self) -> None:
        self.rfile.close()
        self.request = self.server.context.wrap_socket(self.request, server_side=True)
        self.is_secure = True
        self.setup()

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def mail_server(*, tls: str = "", login: str = "") -> Iterator[MailServer]:
    """Serve; ``tls`` is "starttls", "smtps" or none, ``login`` is USER:PASSWORD or none."""
    with MailServer(tls, login) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()
