"""Test modules that only read texts: while nothing that they read changes, they stand whole.

The migration of a thousand texts takes longer than the proofs of a default run. Such a
test depends on the compiler as a whole, so one row for each module is enough. Its key
holds the compiler, the module with all that it imports, the files and directories that
its tests opened, the names of its tests, and the versions of the libraries.

A module gets a row if each of its tests passed and none started a process. Only runs of
all tests look at these rows. Who asks for some tests gets them run.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import os
import pathlib
import sys
from collections.abc import Collection, Iterable, Iterator

import pytest

from tests.ledger import launches
from tests.ledger.rows import TEXTS, Row
from tests.ledger.traces import ROOT, Trace

VERDICT = "holds"
# Whatever of these is installed may decide what a text becomes, or what a test compares.
_LIBRARIES = ("libcst", "hypothesis", "nbformat", "numpy", "tensorflow", "tf_keras")
# Code that tests share, and which may keep what it has read.
_OWN = ("tests.", "reference.")


def is_module(row: Row) -> bool:
    """Whether a row is of a whole module."""
    return row.kind == TEXTS


def modules_of(items: Iterable[pytest.Item]) -> dict[str, list[pytest.Item]]:
    """The collected tests by module, as `tests/migrate/test_text.py`."""
    found: dict[str, list[pytest.Item]] = {}
    for item in items:
        found.setdefault(module_of(item.nodeid), []).append(item)
    return found


def module_of(test: str) -> str:
    return test.partition("::")[0]


@dataclasses.dataclass
class Reading:
    """What is known of the tests of one module in this run.

    Attributes:
      tests: those that passed.
      reads: what they and their fixtures opened, relative to the root.
      seconds: how long they took.
      pure: no test did anything but pass and read.
    """

    tests: set[str] = dataclasses.field(default_factory=set)
    reads: set[str] = dataclasses.field(default_factory=set)
    seconds: float = 0.0
    pure: bool = True

    def add(self, report: pytest.TestReport, told: str | None) -> None:
        """Adds one phase of one test.

        Args:
          told: what the test opened, as `tell` says it; None if it started something.
        """
        self.seconds += report.duration
        if not report.passed or hasattr(report, "wasxfail"):
            self.pure = False
        elif report.when == "call":
            if told is None:
                self.pure = False
            else:
                self.tests.add(report.nodeid)
                self.reads |= set(told.split())


def tell(traces: Iterable[Trace]) -> str | None:
    """What a test opened, in one line; None if it started a process."""
    reads: set[str] = set()
    for trace in traces:
        if trace.started or trace.launches:
            return None
        reads |= {_name(path) for path in (*trace.reads, *trace.listed)}
    return " ".join(sorted(reads))


def _name(path: pathlib.Path) -> str:
    return path.relative_to(ROOT).as_posix()


def key(module: str, tests: Collection[str], reads: Iterable[str], opened: str) -> str:
    """The digest of everything that the tests of a module depend on.

    Args:
      opened: the digest of what was opened while the tests were collected.
    """
    whole = hashlib.sha256(_surroundings().encode())
    parts = [opened, *sorted(tests)]
    for path in sorted(launches.committed(ROOT / module) | _shared(ROOT / module)):
        parts.append(f"{path.relative_to(ROOT)} {launches.content(path).hex()}")
    for name in sorted(set(reads)):
        parts.append(f"{name} {_state_of(ROOT / name)}")
    whole.update("\0".join(parts).encode("utf-8", "surrogatepass"))
    return whole.hexdigest()[:24]


def forget_what_was_read() -> None:
    """Empties the caches of test code, so that each module opens itself what it needs.

    Otherwise a file that another module's test has read is in no trace of its own.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith(_OWN) and not name.startswith("tests.ledger"):
            for value in list(vars(module).values()):
                forget = getattr(value, "cache_clear", None)
                if callable(forget) and hasattr(value, "__wrapped__"):
                    forget()


def digest_of(paths: Iterable[pathlib.Path]) -> str:
    """One digest of files and directories of the repository."""
    whole = "\0".join(f"{_name(path)} {_state_of(path)}" for path in sorted(paths))
    return hashlib.sha256(whole.encode()).hexdigest()


def _state_of(path: pathlib.Path) -> str:
    if path.is_dir():
        return " ".join(sorted(_entries(path)))
    return launches.content(path).hex() if path.is_file() else "none"


def _entries(path: pathlib.Path) -> Iterator[str]:
    for inner in path.iterdir():
        if inner.name != "__pycache__":
            yield inner.name


def _shared(module: pathlib.Path) -> set[pathlib.Path]:
    """What pytest loads for a module without an import: `conftest.py` above it."""
    found: set[pathlib.Path] = set()
    for directory in module.parents:
        path = directory / "conftest.py"
        if path.is_file():
            found |= launches.committed(path)
        if directory == ROOT:
            break
    return {path for path in found if not path.is_relative_to(_LEDGER)}


_LEDGER = pathlib.Path(__file__).parent


@functools.cache
def _surroundings() -> str:
    """The compiler, Python and the libraries."""
    found = [f"Python {sys.version_info[0]}.{sys.version_info[1]}"]
    found.append(os.environ.get("TF1TO2_EXPLORE", ""))
    for name in _LIBRARIES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} none")
    found += [
        f"{_name(path)} {launches.content(path).hex()}"
        for path in sorted(launches.committed(ROOT / "migrate"))
    ]
    return hashlib.sha256("\0".join(found).encode()).hexdigest()
