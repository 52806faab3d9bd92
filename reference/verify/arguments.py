"""A program's arguments in a copy: paths outside of it become paths within."""

from __future__ import annotations

import os
import pathlib
import shutil
from collections.abc import Iterable, Sequence

from reference.verify import workspace
from reference.verify.problems import CannotRun


def inside(
    arguments: Sequence[str],
    directory: pathlib.Path,
    data: Iterable[pathlib.Path],
    limit: int,
) -> list[str]:
    """The arguments with absolute paths replaced by such below a directory.

    What is there already is copied along, but for what is named as data: that is read
    where it is.

    Raises:
      CannotRun: it is larger than the limit.
    """
    read_only = [path.resolve() for path in data]
    return [_argument(one, directory, read_only, limit) for one in arguments]


def _argument(
    argument: str, directory: pathlib.Path, data: list[pathlib.Path], limit: int
) -> str:
    name, equals, value = "", "", argument
    if argument.startswith("-"):
        name, equals, value = argument.partition("=")
    if not value.startswith(("/", "~/")):
        return argument
    path = pathlib.Path(os.path.abspath(os.path.expanduser(value)))
    if any(path == one or path.is_relative_to(one) for one in data):
        return argument
    target = directory / str(path).lstrip("/")
    if not target.exists():
        _bring(path, target, limit)
    ending = "/" if value.endswith("/") else ""
    return f"{name}{equals}{target}{ending}"


def _bring(path: pathlib.Path, target: pathlib.Path, limit: int) -> None:
    """Copies what is at a path; makes the directories above it where nothing is."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        if workspace.size_of(path, limit) > limit:
            raise CannotRun(
                f"{path}, named in the arguments, holds more than {limit / 1e6:.0f} MB, "
                "and every run gets a copy. Name it with --data if the program only "
                "reads it, or raise --size-limit."
            )
        workspace.copy_tree(path, target, limit)
    elif path.is_file():
        shutil.copyfile(path, target)
    elif any(path.parent.glob(f"{path.name}.*")):  # A prefix: of a checkpoint.
        for file in path.parent.glob(f"{path.name}*"):
            if file.is_file():
                shutil.copyfile(file, target.parent / file.name)
        listed = path.parent / "checkpoint"
        if listed.is_file():
            shutil.copyfile(listed, target.parent / "checkpoint")
