"""Writing files so that a reader sees the old bytes or the new, never half."""

from __future__ import annotations

import contextlib
import itertools
import os
import pathlib
import shutil
import tempfile
from collections.abc import Iterator

from migrate.disk.interrupts import defer_interrupts

_PREFIX = ".tf1to2-"
_numbers = itertools.count()


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


def write_atomically(path: pathlib.Path, data: bytes) -> None:
    """Replaces `path`'s content; mode and owner are kept, a link is written through.

    Raises:
      OSError: it cannot be replaced; the old content is still there.
    """
    with defer_interrupts(), stage_bytes(path, data) as stage:
        stage.replace()


@contextlib.contextmanager
def stage_bytes(path: pathlib.Path, data: bytes) -> Iterator[Stage]:
    """Writes the new bytes to the disk, without a name in the directory yet.

    So the slow part is done for all files of a program before the first is replaced, and
    nothing stays behind if the process is killed in between.

    Raises:
      OSError: they cannot be written.
    """
    target = path.resolve()
    remove_leftovers(target.parent)
    handle, name = _open_unnamed(target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
            _copy_owner_and_mode(target, stream.fileno())
            yield Stage(target, stream.fileno(), name)
    finally:
        if name:
            pathlib.Path(name).unlink(missing_ok=True)


class Stage:
    """New content of a file that is on the disk, but not in its place.

    Args:
      target: the real path.
      handle: of the open file.
      name: the file's name; "" if it has none.
    """

    def __init__(self, target: pathlib.Path, handle: int, name: str) -> None:
        self._target = target
        self._handle = handle
        self._name = name

    def replace(self) -> None:
        """Puts the content in its place.

        Raises:
          OSError: it cannot be put there; the file is as it was.
        """
        name = self._name
        if not name:
            name = str(self._target.parent / f"{_make_own_prefix()}{next(_numbers)}")
            # Python follows the link of /proc only if it is given a descriptor, too.
            os.link(f"/proc/self/fd/{self._handle}", name, src_dir_fd=self._handle)
        try:
            os.replace(name, self._target)
        except BaseException:
            pathlib.Path(name).unlink(missing_ok=True)
            raise
        _sync_directory(self._target.parent)


def _make_own_prefix() -> str:
    return f"{_PREFIX}{os.getpid()}-"


def _open_unnamed(directory: pathlib.Path) -> tuple[int, str]:
    """An open file of a directory without a name, or with one where there must be one."""
    unnamed = getattr(os, "O_TMPFILE", 0)
    if unnamed and os.path.isdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # Not every file system has such files.
            return os.open(directory, unnamed | os.O_RDWR, 0o600), ""
    return tempfile.mkstemp(dir=directory, prefix=_make_own_prefix())


def make_stage(directory: pathlib.Path) -> pathlib.Path:
    """A new directory from which files can be renamed to `directory`.

    It lies in that directory, or in the nearest one above it that exists.

    Raises:
      OSError: it cannot be made.
    """
    home = directory
    while not os.path.lexists(home) and home != home.parent:
        home = home.parent
    remove_leftovers(home)
    stage = home / f"{_make_own_prefix()}{next(_numbers)}"
    stage.mkdir()
    return stage


def remove_leftovers(directory: pathlib.Path) -> None:
    """Removes what a killed run of the tool has left in a directory."""
    for path in directory.glob(f"{_PREFIX}*-*"):
        number = path.name.removeprefix(_PREFIX).partition("-")[0]
        if number.isdigit() and not _runs(int(number)):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
                continue
            with contextlib.suppress(OSError):
                path.unlink()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # It is another user's.
        return True
    return True


def _copy_owner_and_mode(target: pathlib.Path, handle: int) -> None:
    """Gives the new file the old one's owner and mode, or a new file's usual mode."""
    try:
        old = target.stat()
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        os.fchmod(handle, 0o666 & ~umask)
        return
    new = os.fstat(handle)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):  # Not ours to give: it stays the writer's.
            os.fchown(handle, old.st_uid, old.st_gid)
    os.fchmod(handle, old.st_mode & 0o7777)


def _sync_directory(directory: pathlib.Path) -> None:
    """Makes the rename survive a power cut, where directories can be synchronised."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
