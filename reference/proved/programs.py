"""The list of public programs: where they are, how they start, what data they read."""

from __future__ import annotations

import dataclasses
import gzip
import io
import pathlib
import struct
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from typing import Any

import numpy as np

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LIST = pathlib.Path(__file__).with_name("programs.toml")
MNIST = "mnist"
# Of a directory that a program reads from outside its own: nobody else's is touched.
_SHARED = pathlib.Path("/tmp")


class CannotFetch(Exception):
    """The repository is not to be had."""


@dataclasses.dataclass(frozen=True)
class Program:
    """A program of the list.

    Attributes:
      repository: "owner/name" on GitHub.
      path: of the program, in the repository.
      kind: "cluster", "estimator", "towers" or "session".
      arguments: of the command line.
      data: directory, from the program's own, and what is made there ("mnist").
      root: the directory whose Python files are brought; "": the program's.
    """

    repository: str
    commit: str
    path: str
    kind: str
    arguments: tuple[str, ...] = ()
    data: Mapping[str, str] = dataclasses.field(default_factory=dict)
    root: str = ""

    @property
    def name(self) -> str:
        return f"{self.repository}/{self.path}"

    @property
    def address(self) -> str:
        quoted = self.path.replace(" ", "%20")
        return f"https://github.com/{self.repository}/blob/{self.commit}/{quoted}"


def read_list(path: pathlib.Path = LIST) -> list[Program]:
    """All programs, in the order of the list."""
    read: dict[str, Any] = tomllib.loads(path.read_text())
    rows = read["program"]
    return [Program(**{**r, "arguments": tuple(r.get("arguments", ()))}) for r in rows]


def bring(
    program: Program, directory: pathlib.Path, mirrors: pathlib.Path | None
) -> pathlib.Path:
    """Writes the program's files below a directory, makes its data; the program's path.

    Args:
      mirrors: a directory with bare repositories called "owner+name"; None: GitHub.

    Raises:
      CannotFetch: there is no such repository or commit.
    """
    root = program.root or str(pathlib.PurePosixPath(program.path).parent)
    archive = _archive(program, directory / "git", mirrors, root)
    files = directory / "files"
    files.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        members = [m for m in tar.getmembers() if m.isfile() or m.isdir()]
        tar.extractall(files, members=members, filter="data")
    path = files / program.path
    for place, what in program.data.items():
        if what != MNIST:
            raise ValueError(f"{program.name}: nobody makes {what!r}")
        target = (path.parent / place).resolve()
        inside = target.is_relative_to(files.resolve())
        if not inside and not target.is_relative_to(_SHARED):
            raise ValueError(f"{program.name}: {place} is somebody's own directory")
        if inside or not target.exists():
            make_mnist(target)
    return path


def root_of(program: Program, path: pathlib.Path) -> pathlib.Path:
    """The directory, below which the program has all it reads."""
    if not program.root:
        return path.parent
    up = len(pathlib.PurePosixPath(program.path).relative_to(program.root).parts)
    return path.parents[up - 1]


def _archive(
    program: Program, work: pathlib.Path, mirrors: pathlib.Path | None, root: str
) -> bytes:
    if mirrors is None:
        work.mkdir(parents=True)
        _git(work, "init", "--quiet", "--bare")
        origin = f"https://github.com/{program.repository}"
        _git(work, "fetch", "--quiet", "--depth=1", origin, program.commit)
        place = work
    else:
        place = mirrors / program.repository.replace("/", "+")
    # They read no data of their repository: its Python files are all they need.
    below = ":(glob)" + ("**" if root == "." else f"{root}/**") + "/*.py"
    return _git(place, "archive", "--format=tar", program.commit, "--", below)


def _git(directory: pathlib.Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(
            ["git", f"--git-dir={directory}", *arguments],
            capture_output=True,
            timeout=600,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotFetch(str(error)) from error
    if done.returncode:
        raise CannotFetch(done.stderr.decode(errors="replace").strip())
    return done.stdout


def make_mnist(directory: pathlib.Path, train: int = 6500, test: int = 1000) -> None:
    """Images of MNIST's format: a patch of light for each digit, in noise."""
    directory.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(7)
    for name, count in (("train", train), ("t10k", test)):
        labels = random.randint(0, 10, count).astype(np.uint8)
        images = random.randint(0, 60, (count, 28, 28))
        for image, label in zip(images, labels, strict=True):
            row, column = 4 + 10 * (label // 5), 1 + 5 * (label % 5)
            image[row : row + 8, column : column + 6] += 150
        for kind, values in (("images-idx3", images), ("labels-idx1", labels)):
            head = struct.pack(">BBBB", 0, 0, 8, values.ndim)
            head += struct.pack(f">{values.ndim}I", *values.shape)
            path = directory / f"{name}-{kind}-ubyte.gz"
            with gzip.open(path, "wb", compresslevel=1) as file:
                file.write(head + values.astype(np.uint8).tobytes())
