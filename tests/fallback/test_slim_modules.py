"""slim's modules, and evaluation of contrib.training, do in graph mode what they did.

The functions come from tf_slim 1.1.0, or from modules beside the program where tf_slim asks
TensorFlow for private functions that are gone. `homes/slim_modules.py` and
`homes/slim_layers.py` write a line for each result, and their `.txt` are what they wrote
under TensorFlow 1.15.5.
"""

from __future__ import annotations

import pathlib

import pytest

from migrate.facts import modules
from migrate.fallback.homes import Lost, find_home, is_in_compat
from migrate.tables import contrib, graph_slim, symbols
from reference import processes
from tests.fallback.recorded_lines import Fault, Lines, Recorded

# Float32 values of order 1: a few ULPs. The faults below move them by 1e-3 and more.
RECORDED = {
    name: Recorded(name, 2e-5, package="tf_slim")
    for name in ("slim_modules", "slim_layers")
}
_DECODERS, _UTILS = "slim_decoders.py", "slim_utils.py"
_TRAINING, _FRAMEWORK = "contrib_training.py", "contrib_framework.py"
_NORMS = "contrib_layers/normalisation.py"
# What is wrong in a file, and the lines of a program that depend on it.
FAULTS: dict[str, tuple[tuple[Fault, tuple[str, ...]], ...]] = {
    "slim_modules": (
        ((_DECODERS, "v1.decode_raw(encoded", "1 + v1.decode_raw(encoded"), ("raw",)),
        ((_DECODERS, "tf.shape(item)), 0)", "tf.shape(item)), 1)"), ("backup",)),
        ((_DECODERS, "if shape is not None:", "if False:"), ("shaped",)),
        (
            (_DECODERS, " if shape is None else tf.reshape(tensor, shape)", ""),
            ("label",),
        ),
        ((_DECODERS, "return self._table", "return 1 + self._table"), ("word",)),
        ((_DECODERS, "_key].values", "_key].values * 2"), ("sparse", "sized")),
        ((_UTILS, "return value\n\n\ndef two", "return 1\n\n\ndef two"), ("last",)),
        ((_UTILS, '"channels_first" else -1', '"" else -1'), ("channels",)),
        ((_UTILS, "(int(value),) * n", "(int(value),)"), ("positive",)),
        ((_UTILS, "fn1() if pred else fn2()", "fn1()"), ("chosen",)),
        ((_UTILS, ".get(name, None)", ".get(name, 0)"), ("listed",)),
        ((_FRAMEWORK, '.removesuffix(":0")', ""), ("aliases",)),
        ((_TRAINING, '"_")', '"/")'), ("gradients", "summaries")),
    ),
    "slim_layers": (
        (
            (_NORMS, "for d in range(1, rank) if d != axis", "for d in (1, 2)"),
            ("normalised", "gradients"),
        ),
        ((_NORMS, '"GroupNorm"', '"Groups"'), ("names",)),
        ((_NORMS, "if axis in reduced:", "if False:"), ("refused",)),
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_tensorflow_1_15_5_writes_what_is_recorded(
    name: str, tf1: str, tmp_path: pathlib.Path
) -> None:
    RECORDED[name].assert_equal(RECORDED[name].run_as_it_is(tf1, tmp_path))


@pytest.mark.parametrize("name", RECORDED)
def test_graph_mode_computes_the_same(name: str, tmp_path: pathlib.Path) -> None:
    """Values, what is printed, names of variables and tags of summaries."""
    RECORDED[name].assert_equal(RECORDED[name].run_in_graph_mode(tmp_path))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Lines]:
    return {
        name: RECORDED[name].run_in_graph_mode(
            tmp_path_factory.mktemp(name), *(fault for fault, _ in faults)
        )
        for name, faults in FAULTS.items()
    }


@pytest.mark.parametrize(
    ("name", "line"),
    [(name, line) for name in FAULTS for _, lines in FAULTS[name] for line in lines],
)
def test_a_planted_fault_is_seen(
    faulty: dict[str, Lines], name: str, line: str
) -> None:
    assert not RECORDED[name].is_as_recorded(faulty[name], line)


@pytest.mark.parametrize("line", ["printed", "scalar", "box", "batch", "once", "loop"])
def test_the_faulty_run_is_right_elsewhere(faulty: dict[str, Lines], line: str) -> None:
    assert RECORDED["slim_modules"].is_as_recorded(faulty["slim_modules"], line)


# -- the names -------------------------------------------------------------------------

_SLIM = sorted(s for s in symbols.list_symbols() if s.startswith("tf.contrib.slim."))
# What says nothing of the one name that is asked for.
_UNEXACT = contrib.explain_no_home("tf.contrib.no_such_module.name")


def test_every_name_of_slim_has_a_home_or_a_reason() -> None:
    without = []
    for symbol in _SLIM:
        path = "tensorflow" + symbol.removeprefix("tf")
        public = modules.make_canonical(path) or symbol
        home = "" if is_in_compat(public) else find_home(public)
        if isinstance(home, Lost):
            told = (home.reason, home.recipe)
            if not all(told) or told == _UNEXACT:
                without.append(symbol)
    assert not without


def test_every_row_is_run() -> None:
    """What the table has is in one of the programs, by its name."""
    text = "".join(r.program.read_text() for r in RECORDED.values())
    names = {symbol.rpartition(".")[2] for symbol in graph_slim.HOMES}
    assert not {name for name in names if name not in text}


def test_a_name_of_slim_is_the_object_that_the_table_says(tf1: str) -> None:
    """Where slim has another module's names, they are that module's objects."""
    asked = [
        (symbol, original)
        for symbol in _SLIM
        for original in graph_slim.list_originals(symbol)
        if original in symbols.list_symbols()
        and not isinstance(find_home(original), Lost)
    ]
    assert len(asked) > 100
    text = ";".join(",".join(pair) for pair in asked)
    done = processes.run_program([tf1, "-c", _COMPARED, text])
    assert done.stdout.splitlines()[-1] == "[]"


_COMPARED = """\
import functools, sys, tensorflow as tf
def get(name):
    return functools.reduce(getattr, name.split(".")[1:], tf)
different = []
for pair in sys.argv[1].split(";"):
    first, second = pair.split(",")
    try:
        one, other = get(first), get(second)
    except AttributeError:
        continue
    if one is not other:
        different.append(first)
print(different)
"""
