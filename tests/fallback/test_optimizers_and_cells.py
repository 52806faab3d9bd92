"""Optimizers, a cell and an inspection of contrib compute in graph mode what they did.

`homes/optimizers_and_cells.py` writes a line for each result; `homes/optimizers_and_cells.txt`
is what it wrote under TensorFlow 1.15.5. It also decides by TensorFlow's version.
"""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

from migrate import emitted
from migrate.fallback.homes import find_home
from migrate.fallback.module import Part, bring_to_compat
from migrate.options import Options
from migrate.tables import graph_mode, symbols
from reference import processes, runner

HERE = pathlib.Path(__file__).parent / "homes"
PROGRAM = HERE / "optimizers_and_cells.py"
# Float32 values of order 10: a few ULPs, which three steps carry on. The faults below move
# them by 1e-3 and more.
TOLERANCE = 2e-5
_OPT, _CELLS, _ARGUMENTS = (
    "graph_optimizers.py",
    "graph_cells.py",
    "callable_arguments.py",
)
Fault = tuple[str, str, str]
# Lines of the program -> the file that they depend on, and what is wrong in it. Faults of
# one run change different lines.
FAULTS: tuple[dict[str, Fault], ...] = (
    {
        "lazy": (_OPT, "tf.sqrt(1 - power2)", "tf.sqrt(1 - power1)"),
        "part": (_OPT, "in self._decayed", "not in self._decayed"),
        "two": (_CELLS, "gates = tf.nn.bias_add(", "_ = tf.nn.bias_add("),
        "four": (_CELLS, "seed=self._seed", "seed=1"),
        "arguments_partial": (_ARGUMENTS, "[len(fn.args) :]", "[0:]"),
        "arguments_method": (_ARGUMENTS, "names[1:]", "names[0:]"),
        "version": ("program.py", '"1.15.5".startswith', '"2.21.0".startswith'),
        "dropped": ("program.py", '"1.15.5" < "2"', '"2.21.0" < "2"'),
    },
    {
        "adam": (_OPT, "assign_sub(self", "assign_sub(2 * self"),
        "part": (_OPT, "* tf.gather(var, grad.indices)", "* 0"),
        "one": (_CELLS, "1e-12", "1e-1"),
    },
    {
        "momentum": (_OPT, "momentum=momentum", "momentum=momentum / 2"),
        "part": (_OPT, "-self._weight_decay * tf.gather(var, indices)", "0 * grad"),
        "extended": (_OPT, "assign_sub(self", "assign_sub(0.5 * self"),
        "three": (_CELLS, '("beta", self._shift)', '("beta", 2 * self._shift)'),
    },
)
# What the first run's faults do not change.
OTHERS = (
    *("adam", "momentum", "extended", "slots", "missing", "one", "three"),
    *("arguments_plain", "arguments_unbound", "arguments_class"),
)
Lines = list[tuple[str, list[float]]]


def _run(directory: pathlib.Path, *faults: Fault) -> Lines:
    found = bring_to_compat(PROGRAM.read_text(), Options(), str(PROGRAM), Part())
    assert {f.code for f in found.findings} == {"T115", "T150"}
    (directory / "program.py").write_text(found.text)
    emitted.write(found.support, directory)
    for name, old, new in faults:
        text = (directory / name).read_text()
        assert text.count(old) == 1, (name, old)
        (directory / name).write_text(text.replace(old, new))
    return _written(sys.executable, directory / "program.py", directory)


def _written(python: str, program: pathlib.Path, directory: pathlib.Path) -> Lines:
    command = [python, program, f"--dir={directory}"]
    processes.run_program(command, environment=runner.ENVIRONMENT, directory=directory)
    return _lines((directory / "loss").read_text())


def _lines(text: str) -> Lines:
    rows = [line.split() for line in text.splitlines()]
    return [(name, list(map(float, numbers))) for name, *numbers in rows]


def _recorded() -> Lines:
    return _lines(PROGRAM.with_suffix(".txt").read_text())


def _of(lines: Lines, name: str) -> list[list[float]]:
    return [numbers for line, numbers in lines if line == name]


def _is_equal(found: list[list[float]], expected: list[list[float]]) -> bool:
    return len(found) == len(expected) and all(
        one == pytest.approx(other, rel=0, abs=TOLERANCE)
        for one, other in zip(found, expected, strict=True)
    )


def _assert_equal(found: Lines) -> None:
    expected = _recorded()
    assert [name for name, _ in found] == [name for name, _ in expected]
    for (name, one), (_, other) in zip(found, expected, strict=True):
        assert _is_equal([one], [other]), name


def test_tensorflow_1_15_5_writes_what_is_recorded(
    tf1: str, tmp_path: pathlib.Path
) -> None:
    _assert_equal(_written(tf1, PROGRAM, tmp_path))


def test_graph_mode_computes_the_same(tmp_path: pathlib.Path) -> None:
    """Values and names of variables and slots, and what a seed draws."""
    _assert_equal(_run(tmp_path))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> list[Lines]:
    directory = tmp_path_factory.mktemp
    return [_run(directory("faulty"), *faults.values()) for faults in FAULTS]


@pytest.mark.parametrize(
    ("run", "name"),
    [(i, name) for i, faults in enumerate(FAULTS) for name in faults],
)
def test_a_planted_fault_is_seen(faulty: list[Lines], run: int, name: str) -> None:
    expected = _of(_recorded(), name)
    assert expected and not _is_equal(_of(faulty[run], name), expected)


@pytest.mark.parametrize("name", OTHERS)
def test_the_faulty_run_is_right_elsewhere(faulty: list[Lines], name: str) -> None:
    expected = _of(_recorded(), name)
    assert expected and _is_equal(_of(faulty[0], name), expected)


# -- the names -------------------------------------------------------------------------


_ASKED = """\
import functools, inspect, json, os, sys
os.environ["TF_USE_LEGACY_KERAS"] = "1"
sys.path.insert(0, os.getcwd())
import callable_arguments, graph_cells, graph_optimizers
found = {"ends": [], "takes": {}}
for symbol in sys.argv[1:]:
    name = symbol.rpartition(".")[2]
    home = graph_cells if ".rnn." in symbol else graph_optimizers
    try:
        here = getattr(home, name, None)
    except NotImplementedError:
        found["ends"].append(symbol)
        continue
    found["takes"][symbol] = list(inspect.signature(here).parameters)
class Called:
    def __call__(self, one): pass
found["object"] = callable_arguments.fn_args(Called())
found["none"] = getattr(graph_optimizers, "NoOptimizer", None)
print(json.dumps(found))
"""
_HOMES = {
    symbol: home
    for symbol, home in graph_mode.HOMES.items()
    if home.startswith(("graph_optimizers.", "graph_cells."))
}


def test_homes_take_what_they_took_and_others_end(tmp_path: pathlib.Path) -> None:
    """No default hides that a name of TensorFlow 1's has no home."""
    public = {s for s in symbols.list_symbols() if s.startswith("tf.contrib.opt.")}
    for module in ("graph_optimizers", "graph_cells", "callable_arguments"):
        emitted.write(emitted.list_files(module), tmp_path)
    asked = sorted(public | set(_HOMES))
    done = processes.run_program(
        [sys.executable, "-c", _ASKED, *asked],
        environment=runner.ENVIRONMENT,
        directory=tmp_path,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert set(found["ends"]) == public - set(_HOMES)
    assert found["none"] is None and found["object"] == ["one"]
    for symbol, now in found["takes"].items():
        row = symbols.look_up(symbol)
        assert row is not None and find_home(symbol) == _HOMES[symbol]
        before = [p.strip("*").partition("=")[0] for p in row.signature_v1]
        # TensorFlow 2.21's Adam, which lazy Adam is, takes one more at the end.
        assert now[: len(before)] == before and len(now) <= len(before) + 1, symbol
