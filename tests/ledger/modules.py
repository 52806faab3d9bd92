"""Test modules of which nothing has changed: their tests stand, and are not even begun.

To see whether a proof stands, its test has to migrate the program. That takes as long as
the proofs of a default run. So a run of all tests writes one row for each module. Its key
holds the compiler, the module with all that it imports, the files and directories that
its tests and their processes read, the names of the tests and the keys of their own rows,
what the environment tells TensorFlow, and the versions of the libraries.

A test stands with its module if it passed, and has a row of its own, or if the files are
known that its processes can read. All others always run, and the module's row says which
these are. Only runs of all tests look
at these rows. Who asks for some tests gets them run.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import json
import os
import pathlib
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping

import pytest

from reference import environment
from tests.ledger import launches
from tests.ledger.rows import MODULES, Row
from tests.ledger.traces import ROOT, Trace

VERDICT = "holds"
# Whatever of these is installed may decide what a text becomes, or what a test compares.
_LIBRARIES = ("libcst", "hypothesis", "nbformat", "numpy", "tensorflow", "tf_keras")
# Code that tests share, and which may keep what it has read.
_OWN = ("tests.", "reference.")


def is_module(row: Row) -> bool:
    """Whether a row is of a whole module."""
    return row.kind == MODULES


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
    """The facts of one module's tests in this run.

    Attributes:
      tests: passed tests with known reads.
      seen: tests with a report.
      reads: what they, their fixtures and their processes read, relative to the root.
      seconds: how long they took.
      failed: whether one did.
    """

    tests: set[str] = dataclasses.field(default_factory=set)
    seen: set[str] = dataclasses.field(default_factory=set)
    reads: set[str] = dataclasses.field(default_factory=set)
    seconds: float = 0.0
    failed: bool = False

    def add(self, report: pytest.TestReport, told: str | None) -> None:
        """Adds one phase of one test.

        Args:
          told: what the test read, as `tell` says it; None if it always runs.
        """
        self.seconds += report.duration
        self.seen.add(report.nodeid)
        self.failed = self.failed or report.failed
        if report.failed:
            self.tests.discard(report.nodeid)
        elif report.when == "call" and report.passed and told is not None:
            if not hasattr(report, "wasxfail"):
                self.tests.add(report.nodeid)
                self.reads |= set(told.split())


# Among what a test read: that it, or a fixture of it, started a process.
_PROCESSES = "(processes)"


def tell(traces: Iterable[Trace], more: Iterable[str] = ()) -> str:
    """Writes in one line what a test read.

    Args:
      more: what its row says that it read.
    """
    reads = set(more)
    for trace in traces:
        paths = (*trace.reads, *trace.listed, *trace.committed)
        reads |= {_name(path) for path in paths}
        if trace.started:
            reads.add(_PROCESSES)
    return " ".join(sorted(reads))


def _name(path: pathlib.Path) -> str:
    return path.relative_to(ROOT).as_posix()


def key(
    module: str,
    tests: Collection[str],
    reads: Collection[str],
    opened: str,
    proofs: Mapping[str, str],
) -> str:
    """The digest of everything that the tests of a module depend on.

    Args:
      opened: the digest of what was opened for them while tests were collected.
      proofs: the keys of all rows.
    """
    whole = hashlib.sha256(_surroundings().encode())
    parts = [opened]
    for test in sorted(tests):
        parts.append(f"{test} {proofs.get(test, '')}")
    if _PROCESSES in reads or any(test in proofs for test in tests):
        parts.append(_of_processes())
    for path in sorted(sources(module)):
        parts.append(f"{path.relative_to(ROOT)} {launches.content(path).hex()}")
    for name in sorted({*reads} - {_PROCESSES}):
        parts.append(f"{name} {_state_of(ROOT / name)}")
    whole.update("\0".join(parts).encode("utf-8", "surrogatepass"))
    return whole.hexdigest()[:24]


def short(test: str) -> str:
    """A test's name as a row of its module has it."""
    return hashlib.sha256(test.encode("utf-8", "surrogatepass")).hexdigest()[:8]


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


def sources(module: str) -> set[pathlib.Path]:
    """A test module's file with all that it imports, and what pytest loads for it."""
    return launches.committed(ROOT / module) | _shared(ROOT / module)


def _shared(module: pathlib.Path) -> set[pathlib.Path]:
    """Finds each `conftest.py` that pytest loads for a module without an import."""
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
def _of_processes() -> str:
    """Returns what started processes read beside files: versions, the environment."""
    found = []
    for release in (environment.TF1, environment.TF215):
        python = environment.find(release)
        there = launches.versions(str(python)) if python else {}
        found.append(there.get("tensorflow", release.version))
    inherited = launches.look_at_environment(os.environ)
    return " ".join([*found, json.dumps(inherited, sort_keys=True)])


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
