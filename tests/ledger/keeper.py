"""Who writes the rows of a run, and says at its end what was proved."""

from __future__ import annotations

import datetime
import pathlib
import sys
import time
from typing import Any

import pytest

from tests.ledger import launches, modules, rows
from tests.ledger.rows import Row
from tests.ledger.traces import ROOT

# The property by which a test tells what it did, and what it says where it only read.
REPORTED = "tests.ledger"
READ = "read"
# What the process that ran the tests tells at its end.
STARTED = pytest.StashKey[dict[str, Any]]()
# Between two writings of the rows.
_SECONDS = 60.0


class Keeper:
    """Runs in the process that the user started: writes rows, and says what was proved."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._rows, self._wrong = rows.read()
        self._collected: set[str] = set()
        self._by: dict[str, int] = {}
        self._reasons: dict[str, int] = {}
        self._new: dict[str, Row] = {}
        self._failed: set[str] = set()
        self._started = 0
        self._told = False
        self._standing: dict[str, int] = {}
        self._opened: dict[str, set[str]] = {}
        self._readings: dict[str, modules.Reading] = {}
        self._written = time.monotonic()

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        self._collected.add(item.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        self._collected |= set(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        self._take(getattr(node, "workeroutput", {}).get(REPORTED))

    def _take(self, told: dict[str, Any] | None) -> None:
        """Takes what a process that ran tests tells at its end."""
        if told is not None:
            self._started += told["started"]
            self._standing |= told["standing"]
            for module, opened in told["opened"].items():
                self._opened.setdefault(module, set()).add(opened)
            self._told = True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and isinstance(report.longrepr, tuple):
            reason = str(report.longrepr[2]).removeprefix("Skipped: ")
            self._reasons[reason] = self._reasons.get(reason, 0) + 1
        if report.failed:
            self._failed |= {report.nodeid, modules.module_of(report.nodeid)}
        told = [v for name, v in report.user_properties if name == REPORTED]
        read = next((text for how, text in told if how == READ), None)
        module = modules.module_of(report.nodeid)
        self._readings.setdefault(module, modules.Reading()).add(report, read)
        if report.when != "call":
            return
        for how, text in told:
            if how != READ:
                self._by[how] = self._by.get(how, 0) + 1
                if how in ("new", "everything", "sample") and report.passed:
                    row = rows.parse(text)
                    self._new[row.proof] = row
        # A run that is killed does not lose what it has proved.
        if time.monotonic() > self._written + _SECONDS:
            self._write(None)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        if not self._told:  # This process has run the tests itself.
            self._take(self._config.stash.get(STARTED, None))
        whole = asks_for_all(self._config) and bool(self._collected)
        if whole:
            self._add_modules()
        self._write(self._collected if whole else None)

    def _add_modules(self) -> None:
        """Adds a row for each module all of whose tests were seen, and none failed."""
        tests: dict[str, set[str]] = {}
        for name in self._collected:
            tests.setdefault(modules.module_of(name), set()).add(name)
        proofs = {name: row.key for name, row in {**self._rows, **self._new}.items()}
        for module, names in tests.items():
            reading = self._readings.get(module)
            if module in self._standing or reading is None or not reading.seen >= names:
                continue
            told = self._opened.get(module, set())
            # Where two processes differ, nobody knows which of them ran a test.
            if len(told) == 1 and reading.tests and not reading.failed:
                (opened,) = told
                self._new[module] = _row_of(module, names, reading, opened, proofs)
        # What stands with its module was not even begun.
        self._collected |= self._standing.keys() | (tests.keys() & self._new.keys())
        self._collected |= {
            name for name in self._rows if modules.module_of(name) in self._standing
        }

    def _count_standing(self) -> int:
        """Counts the proofs that stand with their modules, except drawn ones."""
        return sum(
            "::" in name and modules.module_of(name) in self._standing
            for name in self._rows
        ) - sum(modules.module_of(name) in self._standing for name in self._new)

    def _write(self, collected: set[str] | None) -> None:
        kept = rows.updated(
            self._rows,
            self._new,
            self._failed,
            collected,
            refresh=self._config.option.everything,
        )
        if kept != self._rows or self._wrong:
            rows.write(kept.values())
        self._written = time.monotonic()

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        write = terminalreporter.write_line
        by = self._by
        live = by.get("new", 0) + by.get("everything", 0) + by.get("sample", 0)
        terminalreporter.section("proofs")
        write(
            f"{live + by.get('unforeseen', 0)} made live "
            f"({by.get('sample', 0)} of them drawn from the ledger, "
            f"{by.get('unforeseen', 0)} never in it), "
            f"{by.get('ledger', 0) + self._count_standing()} taken from the ledger "
            "(tests/ledger/proofs)"
        )
        if self._standing:
            write(
                f"{sum(self._standing.values())} tests of {len(self._standing)} modules "
                "stand with their module, of which nothing has changed: deselected, but "
                "for the proofs that were drawn"
            )
        write(f"{self._started} processes started")
        for reason, count in sorted(self._reasons.items()):
            write(f"{count} not run: {reason}")
        changed = sum(
            self._rows.get(p) is None or self._rows[p].key != row.key
            for p, row in self._new.items()
        )
        if changed:
            write(f"{changed} rows of the ledger are new: commit tests/ledger/proofs")
        for text in self._wrong:
            write(f"not taken: {text}")


def _row_of(
    module: str,
    names: set[str],
    reading: modules.Reading,
    opened: str,
    proofs: dict[str, str],
) -> Row:
    reads = tuple(sorted(reading.reads))
    return Row(
        proof=module,
        verdict=modules.VERDICT,
        difference=" ".join(sorted(map(modules.short, names - reading.tests))),
        seconds=reading.seconds,
        date=datetime.date.today().isoformat(),
        versions=here(),
        reads=reads,
        key=modules.key(module, reading.tests, reads, opened, proofs),
    )


def here() -> str:
    """The versions that this process has."""
    found = launches.versions(sys.executable)
    return (
        f"TensorFlow {found['tensorflow']}, tf_keras {found['tf_keras']}, "
        f"NumPy {found['numpy']}"
    )


def asks_for_all(config: pytest.Config) -> bool:
    """Whether all tests were asked for."""
    option = config.option
    asked = [pathlib.Path(a).resolve() for a in config.args]
    everything = {ROOT, ROOT / "tests"}
    return (
        bool(asked)
        and set(asked) <= everything
        and not option.keyword
        and not option.markexpr
        and not getattr(option, "deselect", None)
        and not getattr(option, "lf", False)
        and not option.maxfail
        and not option.collectonly
    )
