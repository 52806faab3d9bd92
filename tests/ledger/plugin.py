"""Connects pytest with the ledger: which tests run, which stand, what is reported."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import hashlib
import os
import pathlib
import shutil
import sys
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest
from _pytest.fixtures import FixtureDef, SubRequest

import migrate.compiler
from migrate.beside import files as beside
from migrate.migration import Migration
from reference import measured, processes
from tests.ledger import code, launches, modules, rests_on, rows, sample
from tests.ledger.keeper import READ, REPORTED, STARTED, Keeper, asks_for_all, here
from tests.ledger.rows import Row
from tests.ledger.traces import ROOT, Imports, Trace, Traces

# Some environments forbid Python to keep what it has compiled. Then each of thousands of
# processes would compile a thousand modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


class Stands(BaseException):
    """The proof stands: no process is started."""


class Deferred(BaseException):
    """A fixture is about to start processes, which nothing needs yet."""


class Needed(BaseException):
    """A test used what a deferred fixture would have computed."""


class NotRun(BaseException):
    """The proof is missing, and there is no time to make it."""


class _Later:
    """Stands for a fixture's value that was not computed: any use of it is `Needed`."""

    def __init__(self, definition: FixtureDef[Any], request: SubRequest) -> None:
        self.definition, self.request = definition, request

    def _use(self, *arguments: Any, **keywords: Any) -> Any:
        raise Needed

    def __getattr__(self, name: str) -> Any:
        raise Needed

    __getitem__ = __iter__ = __call__ = __len__ = __contains__ = __eq__ = _use
    __str__ = __format__ = _use  # type: ignore[assignment]
    __truediv__ = __fspath__ = __or__ = __add__ = __bool__ = __lt__ = __gt__ = _use
    __hash__ = None  # type: ignore[assignment]


@dataclasses.dataclass
class _Proof:
    """One test's way through a run.

    Attributes:
      item: the test.
      trace: what it did.
      forced: it runs although its proof stands ("everything", "sample"), or because
        it does not ("new"); "" while that is open.
      key: the digest that its row has to have.
      versions: of the first interpreter that it starts.
    """

    item: pytest.Function
    trace: Trace = dataclasses.field(default_factory=Trace)
    forced: str = ""
    key: str = ""
    versions: str = ""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ledger", "the ledger of proofs")
    group.addoption(
        "--everything",
        action="store_true",
        help="make every proof live, whatever the ledger holds",
    )
    group.addoption(
        "--proofs-within",
        type=float,
        metavar="MINUTES",
        help="of missing proofs make a fixed sample that takes about so long, and "
        "others only while half of that time has not passed; none after twice of it",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "rests_on(*paths): the test depends on these files and directories, whole; while "
        "they and its own code are the same, it stands in the ledger",
    )
    ledger = Ledger(config)
    config.pluginmanager.register(ledger, "ledger-of-proofs")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Keeper(config), "ledger-keeper")


class Ledger:
    """Runs in each process that runs tests."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._rows, _ = rows.read()
        self._seconds = {
            name: row.seconds
            for name, row in self._rows.items()
            if not modules.is_module(row)
        }
        self._everything = bool(config.getoption("everything"))
        self._sample = sample.draw(self._rows.values(), sample.seed(ROOT))
        self._traces = Traces()
        self._fixtures: dict[int, Trace] = {}
        self._live: set[int] = set()
        self._running: _Proof | None = None
        self._began = time.monotonic()
        self._environment = dict(os.environ)
        # What test modules open while they are imported, and the modules that stand.
        self._imports = Imports()
        self._collected: set[str] = set()
        self._standing: dict[str, int] = {}
        self._module = ""
        self._traces.listen()
        processes.before_launch.append(self._before_launch)
        _watch_migrations(self._traces)
        _watch_what_is_beside(self._traces)

    def pytest_sessionfinish(self) -> None:
        with self._traces.paused():
            opened = {module: self._opened(module) for module in self._collected}
        told = {
            "started": self._traces.started,
            "standing": self._standing,
            "opened": opened,
        }
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[REPORTED] = told
        else:
            self._config.stash[STARTED] = told

    def _opened(self, module: str) -> str:
        """The digest of what was opened for a module while tests were collected."""
        return modules.digest_of(self._imports.opened_for(modules.sources(module)))

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, object, object]:
        if not isinstance(collector, pytest.Module):
            return (yield)
        self._traces.running.append(self._imports)
        try:
            return (yield)
        finally:
            self._traces.running.pop()

    # Before hypothesis, which reads all modules if one of its tests is left.
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if asks_for_all(self._config):
            self._collected |= modules.modules_of(items).keys()
            if not self._everything:
                with self._traces.paused():
                    self._leave_out_standing(items)
        for item in items:
            marker = item.get_closest_marker("rests_on")
            if marker is not None and isinstance(item, pytest.Function):
                item.obj = _resting_on(marker.args, item.obj)

    def _leave_out_standing(self, items: list[pytest.Item]) -> None:
        """Takes out the tests that stand with their module, but for those drawn."""
        proofs = {name: row.key for name, row in self._rows.items()}
        standing: set[str] = set()
        for module, tests in modules.modules_of(items).items():
            row = self._rows.get(module)
            if row is None or module in self._sample:
                continue
            always = set(row.difference.split())
            names = {i.nodeid for i in tests if modules.short(i.nodeid) not in always}
            opened = self._opened(module)
            if row.key == modules.key(module, names, row.reads, opened, proofs):
                self._standing[module] = len(names)
                standing |= names - self._sample
        left_out = [i for i in items if i.nodeid in standing]
        if left_out:
            items[:] = [i for i in items if i.nodeid not in standing]
            self._config.hook.pytest_deselected(items=left_out)

    # -- fixtures ----------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: FixtureDef[Any], request: SubRequest
    ) -> Generator[None, object, object]:
        if request.config is not self._config or not _is_of_tests(fixturedef):
            return (yield)
        key = fixturedef.cache_key(request)
        unused = [
            value
            for name in fixturedef.argnames
            if isinstance(value := request.getfixturevalue(name), _Later)
        ]
        trace = Trace()
        self._fixtures[id(fixturedef)] = trace
        for value in unused:
            inner = self._fixtures[id(value.definition)]
            trace.launches += inner.launches[:1]
            trace.reads |= inner.reads
            trace.listed |= inner.listed
            trace.committed |= inner.committed
        if unused and id(fixturedef) not in self._live:
            later = _Later(fixturedef, request)
            fixturedef.cached_result = (later, key, None)
            return later
        self._traces.running.append(trace)
        try:
            return (yield)
        except Deferred:
            later = _Later(fixturedef, request)
            fixturedef.cached_result = (later, key, None)
            return later
        finally:
            self._traces.running.pop()

    def _compute(self, later: _Later) -> None:
        """Computes a deferred fixture's value after all."""
        definition, request = later.definition, later.request
        for name in definition.argnames:
            value = request.getfixturevalue(name)
            if isinstance(value, _Later):
                self._compute(value)
        self._live.add(id(definition))
        definition.cached_result = None
        definition._finalizers.clear()  # Of the attempt that was given up.
        definition.execute(request)

    # -- the door ----------------------------------------------------------------------

    def _before_launch(self, launch: processes.Launch) -> None:
        if not self._traces.running:
            return
        # What tests in this process did to its environment depends on their order.
        launch = dataclasses.replace(launch, inherited=self._environment)
        trace = self._traces.running[-1]
        with self._traces.paused():
            seen = launches.look_at(launch)
        if trace.launches:  # Those of the first are in its digest.
            trace.reads |= seen.committed
        else:
            trace.committed |= seen.committed
        whole = ROOT / "migrate" / "compiler.py" in seen.committed
        trace.launched(seen.digest, seen.contents, seen.beside, whole)
        proof = self._running
        if proof is None or trace is not proof.trace:
            definition = next(
                (k for k, found in self._fixtures.items() if found is trace), None
            )
            if definition not in self._live and not self._everything:
                raise Deferred
            return
        if len(trace.launches) > 1:
            return
        found = launches.versions(launch.python)
        names = {"tensorflow": "TensorFlow", "tf_keras": "tf_keras", "numpy": "NumPy"}
        proof.versions = ", ".join(
            f"{name} {found[package]}"
            for package, name in names.items()
            if package in found
        )
        self._decide(proof)
        if any(isinstance(v, _Later) for v in proof.item.funcargs.values()):
            raise Needed

    def _decide(self, proof: _Proof) -> None:
        """Raises Stands where the proof stands, NotRun where it is to be left out."""
        if proof.forced:
            return
        name = _name(proof.item)
        row = self._rows.get(name)
        stands = row is not None and row.key == self._key(proof, row.reads)
        if self._everything:
            proof.forced = "everything"
        elif stands and name not in self._sample:
            raise Stands
        elif stands:
            proof.forced = "sample"
        elif not self._in_time(name):
            raise NotRun
        else:
            proof.forced = "new"

    def _in_time(self, name: str) -> bool:
        minutes = self._config.getoption("proofs_within")
        if minutes is None:
            return True
        workers = int(getattr(self._config, "workerinput", {}).get("workercount", 1))
        passed = time.monotonic() - self._began
        if passed > 120 * minutes:  # A machine slower than the one that wrote the rows.
            return False
        return passed < 30 * minutes or sample.fits(
            name, self._seconds, 60 * minutes * workers
        )

    def _key(self, proof: _Proof, reads: tuple[str, ...]) -> str:
        with self._traces.paused():
            return self._digest(proof, reads)

    def _digest(self, proof: _Proof, reads: tuple[str, ...]) -> str:
        item = proof.item
        functions, values = _code_of(item)
        run = code.code_of(functions, values)
        parts = [
            run.digest,
            code.describe(values),
            proof.trace.inputs(),
            *(trace.inputs() for trace in self._fixtures_of(item)),
        ]
        for name in reads:
            path = ROOT / name
            found = launches.entries(path, run.names) if path.is_file() else b""
            parts.append(f"{name} {found.hex()}")
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]

    def _fixtures_of(self, item: pytest.Function) -> Iterator[Trace]:
        for definition in _fixtures(item):
            trace = self._fixtures.get(id(definition))
            if trace is not None:
                yield trace

    # -- a test ------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item
    ) -> Generator[None, object, object]:
        if not isinstance(item, pytest.Function):
            return (yield)
        self._running = _Proof(item)
        if self._module != (module := modules.module_of(item.nodeid)):
            self._module = module
            modules.forget_what_was_read()
        measured.begin()
        try:
            return (yield)
        finally:
            self._running = None
            self._traces.running.clear()

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(
        self, pyfuncitem: pytest.Function
    ) -> Generator[None, object, object]:
        proof = self._running
        if proof is None or proof.item is not pyfuncitem:
            return (yield)
        began = time.monotonic()
        self._traces.running.append(proof.trace)
        try:
            try:
                result = yield
            except Needed:
                result = self._with_fixtures(proof)
        except Stands:
            _report(pyfuncitem, "ledger", "")
            row = self._rows[_name(pyfuncitem)]
            traces = [proof.trace, *self._fixtures_of(pyfuncitem)]
            _report(pyfuncitem, READ, modules.tell(traces, row.reads))
            return True
        except NotRun:
            _report(pyfuncitem, "not run", "no time for it in this run")
            pytest.skip("the proof is missing, and there is no time to make it")
        except BaseException:
            if proof.forced:
                _report(pyfuncitem, proof.forced, "")
            raise
        finally:
            self._traces.running.remove(proof.trace)
        self._record(proof, time.monotonic() - began)
        return result

    def _with_fixtures(self, proof: _Proof) -> object:
        """Runs a test again that wants a deferred fixture's value."""
        item = proof.item
        self._decide(proof)
        for name in list(item.funcargs):
            value = item.funcargs[name]
            if isinstance(value, _Later):
                self._compute(value)
                item.funcargs[name] = value.definition.cached_result[0]
        for value in item.funcargs.values():
            if isinstance(value, pathlib.Path) and value.name.startswith("test_"):
                shutil.rmtree(value, ignore_errors=True)
                value.mkdir()
        proof.trace.launches.clear()
        proof.trace.written.clear()
        names = item._fixtureinfo.argnames
        item.obj(**{name: item.funcargs[name] for name in names})
        return True

    def _record(self, proof: _Proof, seconds: float) -> None:
        """Tells of a proof that was made live."""
        traces = [proof.trace, *self._fixtures_of(proof.item)]
        if not any(trace.launches for trace in traces):
            if not any(trace.unseen for trace in traces):
                _report(proof.item, READ, modules.tell(traces))
            return
        # What a test migrates beside what its fixtures started is in no digest. It is
        # known by the compiler, which is in its module's.
        unseen = proof.trace.written and not proof.trace.launches
        if unseen or any(trace.late for trace in traces):
            _report(proof.item, "unforeseen", "migrates after its first process")
            if not any(trace.unseen for trace in traces):
                _report(proof.item, READ, modules.tell(traces))
            return
        reads = tuple(
            sorted(
                {
                    path.relative_to(ROOT).as_posix()
                    for trace in traces
                    for path in trace.reads
                    if path.is_file()
                }
            )
        )
        largest = measured.largest()
        caught = "fault" in proof.item.name or "is_seen" in proof.item.name
        verdict = (
            "caught"
            if caught or "notice" in proof.item.name
            else "holds"
            if largest is None
            else "equal"
        )
        row = Row(
            proof=_name(proof.item),
            verdict=verdict,
            difference="" if largest is None else f"{largest:.2g}",
            seconds=seconds,
            date=datetime.date.today().isoformat(),
            versions=proof.versions or here(),
            reads=reads,
            key=self._key(proof, reads),
        )
        _report(proof.item, proof.forced or "new", row.line())
        _report(proof.item, READ, modules.tell(traces, reads))


def _resting_on(
    paths: tuple[pathlib.Path, ...], test: Callable[..., None]
) -> Callable[..., None]:
    """A test that says first what it depends on."""

    @functools.wraps(test)
    def run(**values: Any) -> None:
        rests_on(*paths)
        test(**values)

    return run


def _name(item: pytest.Item) -> str:
    return item.nodeid


def _is_of_tests(definition: FixtureDef[Any]) -> bool:
    return definition.func.__module__.startswith("tests.")


def _fixtures(item: pytest.Function) -> list[FixtureDef[Any]]:
    """The tests' own fixtures that a test uses, directly or not."""
    found = item._fixtureinfo.name2fixturedefs
    return [
        definition
        for name in sorted(found)
        for definition in found[name][-1:]
        if _is_of_tests(definition)
    ]


def _code_of(item: pytest.Function) -> tuple[list[Callable[..., Any]], list[Any]]:
    """The functions of a test, and the values it is called with."""
    functions = [item.function, *(d.func for d in _fixtures(item))]
    callspec = getattr(item, "callspec", None)
    values = [callspec.params[n] for n in sorted(callspec.params)] if callspec else []
    return functions, values


def _watch_migrations(traces: Traces) -> None:
    """Has every migration of a text told to the traces of what runs then."""
    original = migrate.compiler.migrate_text

    def migrate_text(*arguments: Any, **keywords: Any) -> Migration:
        found = original(*arguments, **keywords)
        for trace in traces.running:
            trace.migrated(found.text)
        return found

    migrate_text.__doc__ = original.__doc__
    migrate.compiler.migrate_text = migrate_text


def _watch_what_is_beside(traces: Traces) -> None:
    """Has what is written beside programs told to the traces of what runs then."""
    original = beside.write

    def write(directory: pathlib.Path, *texts: str) -> None:
        original(directory, *texts)
        with traces.paused():
            made = [
                launches.content(directory / n) for n in beside.find_present(directory)
            ]
        for trace in traces.running:
            trace.wrote_beside(made)

    beside.write = write


def _report(item: pytest.Item, how: str, text: str) -> None:
    item.user_properties.append((REPORTED, (how, text)))
