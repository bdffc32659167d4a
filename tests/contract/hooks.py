"""What schemathesis does not know by itself: how an archive is sent and read."""

from __future__ import annotations

import io
import zipfile

import schemathesis


@schemathesis.serializer("application/zip")
def send_archive(context: schemathesis.SerializationContext, value: object) -> bytes:
    """Return the body that is sent: what was generated, or its text where that is no bytes."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.deserializer("application/zip")
def read_archive(context: schemathesis.DeserializationContext, response: schemathesis.Response) -> str:
    """Return the names of what an archive holds."""
    return "\n".join(zipfile.ZipFile(io.BytesIO(response.content)).namelist())
