"""Names that NumPy lost: the table is that of the three versions, and results have none."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest
from click.testing import CliRunner

from migrate.cli import main
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.tables import lost_numpy as table
from reference import processes
from reference.environment import TF1, TF215, find
from tests import ledger

# Which public names a version has, and what each of some expressions is in it: the value, a
# type's name, what a function gives of an array, or the error.
_ASK = """\
import inspect, json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np

def show(text):
    try:
        value = eval(text)
    except Exception as error:
        return "%s: %s" % (type(error).__name__, error)
    if isinstance(value, type) and issubclass(value, np.generic):
        return np.dtype(value).str
    if isinstance(value, type):
        return value.__name__
    if callable(value):
        value = value(np.array([[2.5, 0.0], [1.0, 3.0]])).tolist()
    return repr(value)

def has(name):
    try:
        return hasattr(np, name)
    except RuntimeError:  # It says when the name was removed.
        return False

def arguments(name):
    try:
        return list(inspect.signature(getattr(np, name)).parameters)
    except (ValueError, TypeError):  # A function of C, or none.
        return []

asked = json.load(open(sys.argv[1]))
found = [n for n in asked["names"] if has(n)]
print(json.dumps({
    "version": np.__version__,
    "public": [n for n in dir(np) if not n.startswith("_")],
    "has": found,
    "arguments": {n: arguments(n) for n in dir(np) if n[0] != "_" and has(n)},
    "methods": [n for n in dir(np.ndarray) if not n.startswith("_")],
    "values": {text: show(text) for text in asked["texts"]},
}))
"""
# `from __future__ import ...` left these in NumPy's namespace.
_FUTURE = {"absolute_import", "division", "print_function"}
_VALUES = {
    "alen": "np.alen([[1, 2], [3, 4], [5, 6]])",
    "asscalar": "np.asscalar(np.array([2.5]))",
    "msort": "np.msort(np.array([[3, 1], [2, 4]])).tolist()",
}
_ARGUMENTS = {
    "alen": "[[1, 2], [3, 4], [5, 6]]",
    "asscalar": "np.array([2.5])",
    "msort": "np.array([[3, 1], [2, 4]])",
}
_USE = {
    name: f"{template.format(np='np', value=_ARGUMENTS[name])}"
    + (".tolist()" if name == "msort" else "")
    for name, template in table.CALLS.items()
}


def _replacements() -> dict[str, tuple[str, str]]:
    """By name: the old expression, and the new one."""
    return {
        **{n: (f"np.{n}", new) for n, new in table.BUILTINS.items()},
        **{n: (f"np.{n}", f"np.{new}") for n, new in table.RENAMED.items()},
        **{n: (f"np.{n}", new.format(np="np")) for n, new in table.NUMBERS.items()},
        **{n: (_VALUES[n], _USE[n]) for n in table.CALLS},
    }


def _asked(python: str, directory: pathlib.Path) -> dict[str, object]:
    (directory / "ask.py").write_text(_ASK)
    texts = sorted({text for pair in _replacements().values() for text in pair})
    names = {"names": sorted(table.NAMES), "texts": texts}
    (directory / "asked.json").write_text(json.dumps(names))
    done = processes.run_program(
        [python, directory / "ask.py", directory / "asked.json"],
        environment={"PYTHONWARNINGS": "ignore"},
    )
    answer = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(answer, dict)
    return answer


def _differences(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """Names whose old expression is something else there than the new one here."""
    return [
        name
        for name, (before, after) in _replacements().items()
        if old[before] != new[after]
    ]


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    pythons = [find(TF1), find(TF215), sys.executable]
    if None in pythons:
        pytest.skip("no Python 3.7 with TensorFlow 1.15.5, or none with 2.15.1")
    directory = tmp_path_factory.mktemp("numpy")
    return [_asked(str(python), directory) for python in pythons]


def test_the_table_is_what_numpy_lost(three: list[dict[str, object]]) -> None:
    ledger.rests_on(
        ledger.COMPILER / "tables" / "lost_numpy.py", pathlib.Path(__file__)
    )
    old, middle, new = three
    assert str(old["version"]).startswith("1.18")
    public = {*old["public"]} - _FUTURE  # type: ignore[misc]
    assert public >= table.NAMES
    kept = {*middle["has"]} & {*new["has"]}  # type: ignore[misc]
    assert not kept & table.NAMES
    # Some that stay are made only when they are asked for.
    lost = public - ({*middle["public"]} & {*new["public"]})  # type: ignore[misc]
    assert lost - table.NAMES <= {"chararray", "core", "matrixlib", "version"}


# NumPy 2 gives these a signature of their own, with other names for the same places.
_VARIABLE = {"args", "kwarg", "kwargs", "style", "x"}


def test_the_arguments_are_what_numpy_lost(three: list[dict[str, object]]) -> None:
    ledger.rests_on(
        ledger.COMPILER / "tables" / "lost_numpy.py", pathlib.Path(__file__)
    )
    old, middle, new = (found["arguments"] for found in three)
    lost = {
        (name, argument)
        for name, given in old.items()  # type: ignore[attr-defined]
        for argument in {*given} - {*new.get(name, given)} - _VARIABLE  # type: ignore[attr-defined]
        if new.get(name)  # type: ignore[attr-defined]
    }
    told = {**table.ARGUMENTS, **table.LOST_ARGUMENTS}
    assert lost == {(name, word) for name, words in told.items() for word in words}
    for name, words in table.ARGUMENTS.items():
        for word in filter(None, words.values()):
            assert word in middle[name] and word in new[name]  # type: ignore[index]
    # Where the name is left out, the place is the same.
    assert [
        given["reshape"].index(word)
        for given, word in (  # type: ignore[index]
            (old, "newshape"),
            (middle, "newshape"),
            (new, "shape"),
        )
    ] == [1, 1, 1]


def test_the_methods_are_what_arrays_lost(three: list[dict[str, object]]) -> None:
    ledger.rests_on(
        ledger.COMPILER / "tables" / "lost_numpy.py", pathlib.Path(__file__)
    )
    old, middle, new = ({*found["methods"]} for found in three)  # type: ignore[misc]
    assert old - new == {*table.METHODS, *table.LOST_METHODS}
    assert {*table.METHODS.values()} <= old & middle & new


def test_what_is_written_instead_is_the_same(three: list[dict[str, object]]) -> None:
    ledger.rests_on(
        ledger.COMPILER / "tables" / "lost_numpy.py", pathlib.Path(__file__)
    )
    old, middle, new = (found["values"] for found in three)
    for now in (middle, new):
        assert _differences(old, now) == []  # type: ignore[arg-type]


def test_another_number_instead_is_noticed(
    three: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.rests_on(
        ledger.COMPILER / "tables" / "lost_numpy.py", pathlib.Path(__file__)
    )
    old, _, new = (found["values"] for found in three)
    monkeypatch.setitem(table.RENAMED, "product", "any")
    monkeypatch.setitem(table.NUMBERS, "NINF", "0.0")
    assert _differences(old, new) == ["product", "NINF"]  # type: ignore[arg-type]


def _program(host: str) -> str:
    return (
        "import numpy as np\nimport tensorflow as tf\n"
        "x = tf.placeholder(tf.float32, [None])\ny = tf.reduce_sum(x)\n"
        "with tf.Session() as sess:\n"
        f"    {host}\n    print(sess.run(y, {{x: [1.0]}}))\n"
    )


def _mended(host: str) -> str:
    done = migrate_text(_program(host))
    (told,) = [f for f in done.findings if f.code == "D167"]
    assert told.outcome is Outcome.REWRITTEN and (told.line, told.recipe) == (6, "")
    compile(done.text, "<result>", "exec")
    return next(line for line in done.text.splitlines() if line.startswith("a = "))


@pytest.mark.parametrize(
    ("host", "new"),
    [
        ("a = np.zeros(3, dtype=np.float)", "a = np.zeros(3, dtype=float)"),
        ("a = isinstance(1, np.long)", "a = isinstance(1, int)"),
        ("a = np.product([2, 3])", "a = np.prod([2, 3])"),
        ("a = np.reshape(1, newshape=[1, 1])", "a = np.reshape(1, [1, 1])"),
        (
            "a = np.percentile([1, 2], q=30, interpolation='lower')",
            "a = np.percentile([1, 2], q=30, method='lower')",
        ),
        (
            "a = np.histogram2d([1], [2], normed=True)",
            "a = np.histogram2d([1], [2], density=True)",
        ),
        ("a = np.ones(2).tostring()", "a = np.ones(2).tobytes()"),
        ("a = 2 ** np.NINF", "a = 2 ** (-np.inf)"),
        ("a = np.asscalar(np.ones(1) * 2)", "a = np.asarray(np.ones(1) * 2).item()"),
        (
            "a = np.VisibleDeprecationWarning",
            "a = np.exceptions.VisibleDeprecationWarning",
        ),
    ],
)
def test_it_is_replaced(host: str, new: str) -> None:
    assert _mended(host) == new


@pytest.mark.parametrize(
    ("host", "recipe"),
    [
        ("a = np.trapz([1, 2])", "np.trapezoid"),
        ("a = np.irr([1, 2])", "numpy-financial"),
        ("a = np.who()", "numpy_2_0_migration_guide"),
        # As a function that is passed on, and with a name that the file has itself.
        ("a = list(map(np.asscalar, [np.ones(1)]))", "np.asarray(x).item()"),
        ("float = 3; a = np.zeros(float, np.float)", "rename that first"),
        ("a = f'{np.Inf}'", "Write np.inf."),
        ("a = np.reshape(a=1, newshape=[1, 1])", "as the second argument"),
        ("a = np.histogram([1, 2], normed=True)", "Write density."),
        ("a = np.ones(2).ptp()", "np.ptp(a)"),
    ],
)
def test_what_has_no_other_name_is_told(host: str, recipe: str) -> None:
    done = migrate_text(_program(host))
    (told,) = [f for f in done.findings if f.code == "D167"]
    assert told.outcome is Outcome.WARNED and recipe in told.recipe
    assert host.rpartition("; ")[2] in done.text


@pytest.mark.parametrize(
    "host",
    [
        "a = np.float32(1)",
        "a = np.random.rand(2)",
        "import json; a = json.loads('1')",
        "from xml.etree import ElementTree as t; a = t.tostring(t.Element('a'))",
        "a = np.reshape(1, (1, 1), order='F')",
    ],
)
def test_other_names_are_left_alone(host: str) -> None:
    assert "D167" not in {f.code for f in migrate_text(_program(host)).findings}


def test_a_refused_program_stays_as_it_is() -> None:
    text = _program("a = np.float; b = tf.contrib.gan.foo()")
    done = migrate_text(text)
    assert "D167" not in {f.code for f in done.findings}
    assert "a = np.float;" in done.text


def test_code_of_tensorflow_2_is_left_alone() -> None:
    """Its `np.bool` is NumPy 2's type, and not Python's."""
    text = (
        "import numpy as np\nimport tensorflow as tf\n\n\n@tf.function\n"
        "def double(x):\n    return 2 * x\n\n\n"
        "print(isinstance(double(tf.ones(1)).numpy()[0] > 1, np.bool))\n"
    )
    done = migrate_text(text)
    assert (done.text, done.findings) == (text, ())


_HELPER = "import numpy as np\n\n\ndef ones():\n    return np.ones(1, np.float)\n"


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    """A program with a helper, a refused one that has it too, and files of nobody."""
    main_text = _program("a = helper.ones()").replace(
        "import tensorflow", "import helper\nimport tensorflow"
    )
    (tmp_path / "main.py").write_text(main_text)
    (tmp_path / "other.py").write_text(
        main_text.replace("tf.reduce_sum", "tf.contrib.gan.sum")
    )
    (tmp_path / "helper.py").write_text(_HELPER)
    (tmp_path / "alone.py").write_text(_HELPER)
    (tmp_path / "python2.py").write_text("import numpy\nprint numpy.float\n")
    return tmp_path


def test_a_helper_goes_with_the_program_that_loads_it(tree: pathlib.Path) -> None:
    done = CliRunner().invoke(main, ["migrate", str(tree), "--write", "--jobs", "1"])
    assert done.exit_code == 1 and "programs: 1 migrated, 1 refused" in done.output
    assert "np.ones(1, float)" in (tree / "helper.py").read_text()
    assert (tree / "alone.py").read_text() == _HELPER
    assert "tf.contrib.gan.sum" in (tree / "other.py").read_text()
    assert "python2.py" not in done.output and "alone.py" not in done.output


def test_a_helper_of_a_refused_program_stays(tree: pathlib.Path) -> None:
    (tree / "main.py").unlink()
    CliRunner().invoke(main, ["migrate", str(tree), "--write", "--jobs", "1"])
    assert (tree / "helper.py").read_text() == _HELPER


def test_in_graph_mode_it_is_replaced_too(tree: pathlib.Path) -> None:
    (tree / "main.py").unlink()
    text = _program("a = helper.ones(); saver = tf.train.Saver").replace(
        "import tensorflow", "import helper\nimport tensorflow"
    )
    (tree / "other.py").write_text(text)
    command = ["migrate", str(tree), "--write", "--jobs", "1", "--fallback", "compat"]
    done = CliRunner().invoke(main, command)
    assert "runs through compat.v1" in done.output, done.output
    assert "np.ones(1, float)" in (tree / "helper.py").read_text()


def test_what_is_migrated_runs_as_it_did(tmp_path: pathlib.Path) -> None:
    """The same program on both, where NumPy's names are used."""
    host = "print(np.zeros(2, np.float), np.product([2, 3]), np.asscalar(np.ones(1)), -np.Inf, np.ones(2).tostring(), np.percentile([1, 2], 30, interpolation='lower'))"
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text(_program(host))
    new.write_text(migrate_text(_program(host)).text)
    python = find(TF1)
    if python is None:
        pytest.skip("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    shown = [
        processes.run_program([interpreter, path]).stdout
        for interpreter, path in ((str(python), old), (sys.executable, new))
    ]
    assert shown[0] == shown[1]


BATCHES = """\
def batches(data, size):
    data = np.array(data)
    for i in range(0, len(data), size):
        yield data[i:i + size]


for batch in batches(list(zip(np.zeros([4, 3]), np.ones([4, 2]))), 2):
    x, y = zip(*batch)
    print(np.array(x).shape, np.array(y).sum())
"""


def _above(code: str) -> str:
    """A program with code above it."""
    head, rest = _program("pass").split("x = ", 1)
    return f"{head}\n\n{code}\n\nx = {rest}"


def test_rows_of_batches_may_have_different_lengths() -> None:
    done = migrate_text(_above(BATCHES))
    (told,) = [f for f in done.findings if f.code == "D167"]
    assert told.outcome is Outcome.REWRITTEN
    written = done.text[done.text.index("def batches") :]
    written = "import numpy as np\n\n\n" + written[: written.index("print")]
    shown: list[int] = []
    exec(written + "shown.append(len(x))\n", {"shown": shown})
    assert shown == [2, 2]
    fault = written.replace(", dtype=object", "")
    with pytest.raises(ValueError, match="inhomogeneous"):
        exec(fault, {})


@pytest.mark.parametrize(
    "code",
    [
        BATCHES.replace("data = np.array(data)", "rows = np.array(data)"),
        BATCHES.replace("data = np.array(data)", "data = np.array(data); n = 1"),
        BATCHES.replace("data = np.array(data)", "data = np.array(\n        data)"),
        BATCHES.replace("yield data", "print(data)", 1).replace("for batch", "for b"),
        "a = np.dtype(np.uint32).newbyteorder('>')",
        "d = np.dtype('i4')\na = d.newbyteorder('>')",
    ],
)
def test_what_numpy_still_takes_stays(code: str) -> None:
    done = migrate_text(_above(code))
    assert not [f for f in done.findings if f.code == "D167"]
