"""E-mail goes to the operator's SMTP server by TLS and with a login, and to none whose certificate is not trusted."""

from __future__ import annotations

from email import message_from_bytes, policy

import pytest

from tests.crawler.hostile import CERTIFICATE
from tests.mail_server import mail_server
from workers import mail
from workers.settings import load

LOGIN, IN_URL = "news:s/cret", "news:s%2Fcret"


def send(url: str) -> str | None:
    settings = load(smtp_url=url, smtp_from="news@example.org")
    return mail.send(settings, "anna@example.org", title="The ferry\nsails", text="At nine. Grüße", message_id="1")


@pytest.mark.parametrize(("tls", "scheme"), [("starttls", "smtp"), ("smtps", "smtps")])
def test_message_goes_by_tls_with_a_login_to_a_server_that_is_trusted(
    tls: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with mail_server(tls=tls, login=LOGIN) as server:
        port = server.server_address[1]
        assert "certificate" in (send(f"{scheme}://{IN_URL}@localhost:{port}") or "")
        assert server.got == []
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        assert send(f"{scheme}://{IN_URL}@localhost:{port}") is None
        refusal = send(f"{scheme}://news:wrong-word@localhost:{port}") or ""
        assert "535" in refusal
        assert "wrong-word" not in refusal
        assert "530" in (send(f"{scheme}://localhost:{port}") or "")
    (got,) = server.got
    message = message_from_bytes(got, policy=policy.default)
    assert (message["subject"], message["to"]) == ("The ferry sails", "anna@example.org")
    assert message.get_content().strip() == "At nine. Grüße"
