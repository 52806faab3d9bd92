"""Writing a file so that a reader sees the old bytes or the new, never half."""

from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile

from migrate.disk.interrupts import uninterrupted


def check_writable(path: pathlib.Path) -> None:
    """Tells before anything is written that a file cannot be.

    Raises:
      PermissionError: the file is read-only. (To replace it only its directory need be
        writable, but who made it read-only meant the content.)
    """
    target = path.resolve()
    if target.exists():
        mode = target.stat().st_mode
        if not mode & 0o222 or not os.access(target, os.W_OK):
            raise PermissionError("the file is read-only")
    if not os.access(target.parent, os.W_OK):
        raise PermissionError("its directory is read-only")


def atomically(path: pathlib.Path, data: bytes) -> None:
    """Replaces `path`'s content; mode and owner are kept, a link is written through.

    Raises:
      OSError: it cannot be replaced; it is as it was.
    """
    target = path.resolve()
    with uninterrupted():
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".tf1to2-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            _as_it_was(target, name)
            os.replace(name, target)
        except BaseException:
            pathlib.Path(name).unlink(missing_ok=True)
            raise
        _sync_directory(target.parent)


def _as_it_was(target: pathlib.Path, name: str) -> None:
    """Gives the new file the old one's owner and mode, or a new file's usual mode."""
    try:
        old = target.stat()
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        return
    new = os.stat(name)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):  # Not ours to give: it stays the writer's.
            os.chown(name, old.st_uid, old.st_gid)
    os.chmod(name, old.st_mode & 0o7777)


def _sync_directory(directory: pathlib.Path) -> None:
    """Makes the rename survive a power cut, where directories can be synchronised."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
