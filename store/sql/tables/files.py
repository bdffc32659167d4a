"""The tables of the operator's own files, and of the folders that are watched."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from store.sql.tables.columns import Table


class FolderRow(Table):
    """A folder of this machine whose files are read; only this table knows where it is."""

    __tablename__ = "folders"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    path: Mapped[str] = mapped_column(unique=True)
    every_s: Mapped[float]
    next_due: Mapped[datetime] = mapped_column(index=True)
    problem: Mapped[str | None]
    seen_as: Mapped[str] = mapped_column(String(64), default="")  #: its disk and inode when it was last looked through
    created_at: Mapped[datetime]


class FileRow(Table):
    """A file that was uploaded, or found in a watched folder; its page has its address as URL."""

    __tablename__ = "files"

    id: Mapped[int] = mapped_column(primary_key=True)
    address: Mapped[str] = mapped_column(unique=True)
    folder_id: Mapped[int | None] = mapped_column(ForeignKey("folders.id", ondelete="CASCADE"), index=True)
    path: Mapped[str]  #: in its folder, as the disk writes it
    size: Mapped[int] = mapped_column(BigInteger)  #: bytes
    changed_ns: Mapped[int | None] = mapped_column(BigInteger)  #: as the disk says, of a file in a folder
    content: Mapped[bytes | None] = mapped_column(LargeBinary)  #: of an upload, until it is read
    version: Mapped[int] = mapped_column(default=1)  #: counts the uploads under this name
    left_out: Mapped[bool] = mapped_column(default=False)  #: deleted here, though its folder still has it
    added_at: Mapped[datetime]
