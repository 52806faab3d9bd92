"""Writing a file so that a reader sees the old bytes or the new, never half."""

from __future__ import annotations

import os
import pathlib
import tempfile


def atomically(path: pathlib.Path, data: bytes) -> None:
    """Replaces `path`'s content; mode is kept, a link is written through.

    Raises:
      OSError: the file is read-only, or cannot be replaced; it is as it was.
    """
    target = path.resolve()
    mode: int | None = None
    if target.exists():
        mode = target.stat().st_mode & 0o7777
        if not mode & 0o222 or not os.access(target, os.W_OK):
            raise PermissionError(f"{path} is read-only")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".tf1to2-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, mode if mode is not None else 0o644)
        os.replace(name, target)
    except BaseException:
        pathlib.Path(name).unlink(missing_ok=True)
        raise
