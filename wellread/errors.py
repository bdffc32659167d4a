"""Errors of a call to the API."""

from domain.errors import WellreadError


class ClientError(WellreadError):
    """The API could not be used."""


class ApiUnreachable(ClientError):
    """Nothing answers at the API's address, or not as Wellread does."""


class Refused(ClientError):
    """The API answered with a problem; the message says what happened and what to do."""

    def __init__(
        self, *, status: int, kind: str, title: str, detail: str, what_to_do: str, retry_after_s: float | None = None
    ) -> None:
        super().__init__(" ".join(part for part in (f"{title}: {detail}", what_to_do) if part))
        self.status = status
        self.kind = kind  #: the problem's ``type``: stable, for programs
        self.title, self.detail, self.what_to_do = title, detail, what_to_do
        self.retry_after_s = retry_after_s  #: when to try again, where the server says so
