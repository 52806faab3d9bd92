"""A Python with TensorFlow 1.15.5 in a container, called as if it were on this machine.

The interpreter that is written into the cache is a script of two lines, which runs this
file. The program sees the directories it is given at the paths they have here, this
machine's loopback interface, and the variables of its environment.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence

IMAGE_DIRECTORY = pathlib.Path(__file__).resolve().parent / "tf1_image"
_ENGINES = ("docker", "podman")
# The image's own, or of no meaning there.
_NOT_PASSED = frozenset(
    {
        "PATH",
        "HOME",
        "HOSTNAME",
        "SHELL",
        "PYTHONHOME",
        "VIRTUAL_ENV",
        "LD_LIBRARY_PATH",
    }
)
# An engine's client that is killed leaves its container: that ends by itself.
_AT_MOST = 2 * 3600


def find_engine() -> str | None:
    """Docker or Podman, where one is installed."""
    return next(filter(None, map(shutil.which, _ENGINES)), None)


def build_command(engine: str, image: str) -> list[str]:
    """Makes the image of the Dockerfile that is shipped."""
    return [engine, "build", "--tag", image, str(IMAGE_DIRECTORY)]


def write_interpreter(engine: str, image: str, path: pathlib.Path) -> None:
    """Writes what is called as the interpreter."""
    path.parent.mkdir(parents=True, exist_ok=True)
    call = " ".join(_quoted(part) for part in (sys.executable, __file__, engine, image))
    path.write_text(f'#!/bin/sh\nexec {call} "$@"\n')
    path.chmod(0o755)


def run_command(
    engine: str,
    image: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    directory: str,
) -> list[str]:
    """Runs Python in a container as `python arguments` would run here."""
    mounted = {directory, str(pathlib.Path(__file__).resolve().parents[1])}
    mounted.add(os.path.realpath(tempfile.gettempdir()))
    for text in (*arguments, *environment.values()):
        # Files and directories that are named, and what is beside them.
        if text.startswith("/") and os.path.exists(text):
            mounted.add(text if os.path.isdir(text) else os.path.dirname(text))
    volumes = [f"{path}:{path}" for path in _outermost(mounted)]
    names = sorted(n for n in environment if n.isidentifier() and n not in _NOT_PASSED)
    return [
        *(engine, "run", "--rm", "--init", "--network", "host", "--interactive"),
        *("--user", f"{os.getuid()}:{os.getgid()}", "--workdir", directory),
        *(part for volume in volumes for part in ("--volume", volume)),
        *(part for name in names for part in ("--env", name)),
        *(image, "timeout", str(_AT_MOST), "python", *arguments),
    ]


def _outermost(paths: set[str]) -> list[str]:
    """Those that are below no other; never the root, whose files are the image's."""
    real = sorted(p for p in paths if p.strip("/"))
    found: list[str] = []
    for path in real:
        if not any(path == p or path.startswith(p + "/") for p in found):
            found.append(path)
    return found


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def main() -> None:
    engine, image, *arguments = sys.argv[1:]
    command = run_command(engine, image, arguments, os.environ, os.getcwd())
    os.execvp(engine, command)


if __name__ == "__main__":
    main()
