"""Finds the files of a project that import TensorFlow or tf_keras."""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator

from migrate.disk import discover
from migrate.source.syntax import parse_bytes

# Files that import TensorFlow or tf_keras, and whether they import the second.
Users = dict[pathlib.Path, bool]


def find_users(root: pathlib.Path) -> Users:
    """The users of TensorFlow below a directory."""
    users = {}
    for path in discover.walk(root, on_error=lambda error: None):
        if not discover.is_source(path):
            continue
        try:
            data = path.read_bytes()
        except OSError:
            continue
        if b"tensorflow" in data or b"tf_keras" in data:
            imports = set(_find_imports(path, data))
            if imports & {"tensorflow", "tf_keras"}:
                users[path] = "tf_keras" in imports
    return users


def _find_imports(path: pathlib.Path, data: bytes) -> Iterator[str]:
    tree = parse_bytes(path, data)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def find_keras_user(path: pathlib.Path, users: Users) -> pathlib.Path | None:
    """A file that imports tf_keras and is served by a file of requirements, if any is.

    A file of requirements serves the programs below its directory; where there are none
    (`docker/Dockerfile`), those below the next directory above it that has some.
    """
    for directory in path.parents:
        below = sorted(user for user in users if user.is_relative_to(directory))
        if below:
            return next((user for user in below if users[user]), None)
    return None
