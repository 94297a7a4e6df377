"""How is a private copy of a database made in microseconds?

A store's file is a read-only, memory-mapped image that every copy shares, and a dictionary of the pages this copy
changed. SQLite reaches it through a VFS of its own; nothing is ever written to disk.
"""

from __future__ import annotations

import itertools
import mmap
import os
from collections.abc import Mapping
from pathlib import Path

import apsw

PAGE = 4096
_PAGE_IN_HEADER = PAGE.to_bytes(2, "big")
_VFS = "seahaven"
#: Pragmas that would leave a file no later connection can open.
_FIXED = ("journal_mode", "page_size")


class Image:
    """A frozen database file, mapped once for the whole process."""

    __slots__ = ("data", "path", "size")

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.size = len(self.data)
        if self.size % PAGE:
            raise ValueError(f"{path} is {self.size} bytes, no whole number of {PAGE}-byte pages")


#: A page as it was before a mark was set: its offset, and the changed page there or None for the image's own.
Undo = dict[int, bytes | None]


class Pages:
    """One store's file: an image (or nothing) under a dictionary of changed pages, `{offset: page}`.

    Page values are never changed in place, so copying the dictionary copies the database.
    """

    __slots__ = ("_outer", "_undo", "_undo_size", "changed", "image", "size")

    def __init__(self, image: Image | None = None, changed: dict[int, bytes] | None = None, size: int = -1) -> None:
        self.image = image
        self.changed = {} if changed is None else changed
        self.size = size if size >= 0 else (image.size if image else 0)
        self._undo: Undo | None = None
        self._undo_size = 0
        #: Marks around the innermost one.
        self._outer: list[tuple[Undo, int]] = []

    def copy(self) -> Pages:
        """An independent database with the same contents; costs one dictionary copy."""
        return Pages(self.image, dict(self.changed), self.size)

    def write_to(self, path: Path) -> None:
        """Write the whole database as a file, which appears under its name complete or not at all."""
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        with part.open("wb") as file:
            for offset in range(0, self.size, PAGE):
                # SQLite leaves a page it freed before ever writing it as a hole, which reads as nothing.
                file.write(self.read(PAGE, offset).ljust(PAGE, b"\0"))
        part.replace(path)

    # Marks: which pages changed since, so that going back costs what was written and not what exists. They nest.

    def mark(self) -> None:
        """Begin to note what the pages were before they change."""
        if self._undo is not None:
            self._outer.append((self._undo, self._undo_size))
        self._undo, self._undo_size = {}, self.size

    def take_undo(self) -> tuple[Undo, int] | None:
        """What `revert` needs to go back to the innermost mark, or None when nothing changed; ends the mark."""
        undo, size = self._undo, self._undo_size
        self._undo, self._undo_size = self._outer.pop() if self._outer else (None, 0)
        if undo and self._undo is not None:
            # What the mark around it did not see change is now as it was at that mark.
            for offset, page in undo.items():
                self._undo.setdefault(offset, page)
        return (undo, size) if undo or (undo is not None and size != self.size) else None

    def revert(self, undo: tuple[Undo, int]) -> None:
        """Put the pages back as they were; the caller's connection must be opened anew afterwards."""
        pages, self.size = undo
        for offset, page in pages.items():
            if page is None:
                self.changed.pop(offset, None)
            else:
                self.changed[offset] = page

    # The file SQLite sees.

    def read(self, amount: int, offset: int) -> bytes:
        page = self.changed.get(offset - offset % PAGE)
        if page is not None:
            start = offset % PAGE
            return page if amount == PAGE else page[start : start + amount]
        if self.image is None or offset >= self.size:
            return b""
        return self.image.data[offset : offset + amount]

    def write(self, data: bytes, offset: int) -> None:
        if offset == 0 and data[16:18] != _PAGE_IN_HEADER:
            raise apsw.IOError(f"a store has pages of {PAGE} bytes")
        if self._undo is not None and offset not in self._undo:
            self._undo[offset] = self.changed.get(offset)
        self.changed[offset] = bytes(data)
        if offset >= self.size:
            self.size = offset + PAGE

    def truncate(self, size: int) -> None:
        for offset in [offset for offset in self.changed if offset >= size]:
            if self._undo is not None:
                self._undo.setdefault(offset, self.changed[offset])
            del self.changed[offset]
        self.size = size


class _File:
    """The file object APSW calls; SQLite locks nothing, since an instance has one writer at a time."""

    __slots__ = ("_pages", "_writable", "is_set_up", "xRead")

    def __init__(self, pages: Pages, writable: bool) -> None:
        self._pages = pages
        self._writable = writable
        #: From here on the pragmas that would ask for another kind of file are refused.
        self.is_set_up = False
        self.xRead = pages.read

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        if not self._writable:
            raise apsw.ReadOnlyError("this connection only reads")
        self._pages.write(data, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._pages.truncate(size)

    def xFileSize(self) -> int:  # noqa: N802
        return self._pages.size

    def xLock(self, level: int) -> None:  # noqa: N802
        pass

    def xUnlock(self, level: int) -> None:  # noqa: N802
        pass

    def xCheckReservedLock(self) -> bool:  # noqa: N802
        return False

    def xSync(self, flags: int) -> None:  # noqa: N802
        pass

    def xClose(self) -> None:  # noqa: N802
        pass

    def xFileControl(self, op: int, pointer: int) -> bool:  # noqa: N802
        if op == apsw.SQLITE_FCNTL_PRAGMA and self.is_set_up:
            pragma = apsw.VFSFcntlPragma(pointer)
            if pragma.name.lower() in _FIXED and pragma.value is not None:
                raise apsw.SQLError(f"PRAGMA {pragma.name}: a store keeps its page size, and its journal in memory")
        return False

    def xSectorSize(self) -> int:  # noqa: N802
        return PAGE

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        return int(apsw.SQLITE_IOCAP_ATOMIC4K | apsw.SQLITE_IOCAP_SAFE_APPEND | apsw.SQLITE_IOCAP_POWERSAFE_OVERWRITE)


class _VFSOfPages(apsw.VFS):
    """Opens what `connect` announced under a one-time name, and no other file."""

    def __init__(self) -> None:
        self.announced: dict[str, _File] = {}
        super().__init__(_VFS, "")

    def xOpen(self, name, flags):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, N802
        name = name.filename() if isinstance(name, apsw.URIFilename) else name
        file = self.announced.pop(name, None)
        if file is None:
            raise apsw.CantOpenError(f"a store has no file {name!r}")
        return file

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        return name

    def xAccess(self, name: str, flags: int) -> bool:  # noqa: N802
        return False

    def xDelete(self, name: str, sync: bool) -> None:  # noqa: N802
        pass


_vfs = _VFSOfPages()
_names = itertools.count()


def _announce(pages: Pages, writable: bool) -> tuple[str, _File]:
    name = f"store-{next(_names)}"
    file = _vfs.announced[name] = _File(pages, writable)
    return name, file


def connect(
    pages: Pages, *, cache_kib: int = 64, writable: bool = True, attached: Mapping[str, Pages] | None = None
) -> apsw.Connection:
    """An APSW connection on `pages`, set up for speed: nothing survives the process anyway.

    `attached` stand beside them, each as the SQL schema of that name. Opening touches no file.
    A connection does not notice pages being put back: open a new one after `Pages.revert`.
    """
    name, file = _announce(pages, writable)
    flags = apsw.SQLITE_OPEN_NOMUTEX | apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    connection = apsw.Connection(name, flags=flags, vfs=_VFS, statementcachesize=24)
    connection.execute(
        f"PRAGMA page_size={PAGE}; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
        f"PRAGMA temp_store=MEMORY; PRAGMA cache_size=-{cache_kib}; PRAGMA foreign_keys=ON"
    ).fetchall()
    file.is_set_up = True
    for schema, beside in (attached or {}).items():
        other, opened = _announce(beside, writable)
        connection.execute(f'ATTACH ? AS "{schema}"', (other,)).fetchall()
        connection.execute(f'PRAGMA "{schema}".journal_mode=MEMORY; PRAGMA "{schema}".synchronous=OFF').fetchall()
        opened.is_set_up = True
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
    if not writable:
        connection.execute("PRAGMA query_only=ON").fetchall()
    return connection
