"""Private names that stay: TensorFlow 1.15.5, 2.15.1 and 2.21 have them, and mean the same."""

from __future__ import annotations

import importlib
import inspect
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterable

import pytest

from migrate.tables import kept_names
from migrate.tables.kept_names import Known
from reference import environment
from reference import kept_names as generator
from reference.environment import TF215, find_tf1
from reference.private_sources import Sources
from tests import ledger

HERE = pathlib.Path(__file__).parent
# It needs the package portpicker.
_NEEDS_MORE = "tensorflow.python.debug.lib.grpc_debug_test_server"


def _list_names(*wanted: Known) -> list[str]:
    return sorted(
        f"{module}:{name}"
        for module in kept_names.list_modules()
        if kept_names.has_module(module)
        for name, row in kept_names.list_kept(module).items()
        if row.known in wanted and module != _NEEDS_MORE
    )


def _list_wrong(python: str, names: Iterable[str]) -> list[str]:
    """Names that a TensorFlow does not have; with `-` before them, those that it has."""
    done = subprocess.run(
        [python, "-I", "-W", "ignore", str(HERE / "names_there.py")],
        input="\n".join(names),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""},
        timeout=300,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert any(line.startswith("done") for line in lines)
    return [line.removeprefix("wrong ") for line in lines if line[:6] == "wrong "]


def test_there_are_enough_of_each() -> None:
    for known, least in ((Known.OP, 1000), (Known.TEXT, 1000), (Known.NEW, 500)):
        assert len(_list_names(known)) > least


@pytest.mark.timeout(400)
def test_this_tensorflow_has_all_with_their_parameters() -> None:
    importlib.import_module("tensorflow")
    wrong = []
    for entry in _list_names(Known.OP, Known.TEXT, Known.NEW):
        module, _, name = entry.partition(":")
        value = getattr(importlib.import_module(module), name, None)
        row = kept_names.find(f"{module}.{name}")
        assert row is not None
        if value is None and not hasattr(importlib.import_module(module), name):
            wrong.append(entry)
        elif inspect.isfunction(value) and row.parameters is not None:
            taken = set(inspect.signature(inspect.unwrap(value)).parameters)
            said = {p.rstrip("=") for p in row.parameters if p[0] != "*"}
            if not said <= taken:
                wrong.append(f"{entry} {said - taken}")
    assert not wrong


@pytest.mark.timeout(400)
def test_tensorflow_1_15_5_has_all_but_the_new() -> None:
    python = find_tf1()
    if python is None:
        pytest.skip("no TensorFlow 1.15.5 on this machine")
    there = _list_names(Known.OP, Known.TEXT)
    new = [f"-{name}" for name in _list_names(Known.NEW)]
    wrong = _list_wrong(
        str(python), [*there, *new, "tensorflow.python.ops.math_ops:no"]
    )
    assert wrong == ["tensorflow.python.ops.math_ops:no"]


@pytest.mark.timeout(400)
def test_tensorflow_2_15_1_has_all() -> None:
    python = environment.find(TF215)
    if python is None:
        pytest.skip("no TensorFlow 2.15.1 on this machine")
    there = _list_names(Known.OP, Known.TEXT, Known.NEW)
    wrong = _list_wrong(str(python), [*there, "-tensorflow.python.ops.math_ops:cast"])
    assert wrong == ["-tensorflow.python.ops.math_ops:cast"]


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("ops.gen_nn_ops.conv3d_backprop_input_v2", Known.OP),
        ("saved_model.tag_constants.SERVING", Known.TEXT),
        ("types.core.Tensor", Known.NEW),
        ("framework.ops.register_dense_tensor_like_type", Known.GONE),
        # Its value is another one.
        ("saved_model.constants.TRAIN_OP_KEY", Known.CHANGED),
        # The same parameters; TensorFlow 2 moved what it does.
        ("framework.ops.internal_convert_to_tensor", Known.CHANGED),
    ],
)
def test_rows(name: str, known: Known) -> None:
    row = kept_names.find(f"tensorflow.python.{name}")
    assert row is not None and row.known is known


def test_modules() -> None:
    assert kept_names.has_module("tensorflow.python.ops.summary_op_util")
    gone = "tensorflow.python.distribute.estimator_training"
    assert kept_names.has_module(gone) is False
    with pytest.raises(ImportError):
        importlib.import_module(gone)
    assert kept_names.has_module("tensorflow.python.ops.math_ops.cast") is None


@pytest.mark.parametrize(
    ("path", "symbol"),
    [
        ("layers.Dense", "tf.keras.layers.Dense"),
        ("layers.core.Dense", "tf.keras.layers.Dense"),
        ("engine.base_layer.Layer.call", "tf.keras.layers.Layer.call"),
        ("backend.epsilon", "tf.keras.backend.epsilon"),
        ("optimizer_v2.gradient_descent.SGD", "tf.keras.optimizers.SGD"),
        # 1.15.5's tf.keras.layers.LSTM is another class.
        ("layers.recurrent_v2.LSTM", ""),
        ("backend.track_variable", ""),
        ("backend", None),
    ],
)
def test_names_of_keras(path: str, symbol: str | None) -> None:
    found = kept_names.find_public_of_keras(f"tensorflow.python.keras.{path}")
    assert found == symbol


@pytest.mark.rests_on(ledger.COMPILER)
@pytest.mark.timeout(900)
def test_the_table_is_as_generated() -> None:
    tf1, tf215 = find_tf1(), environment.find(TF215)
    if tf1 is None or tf215 is None:
        pytest.skip("no TensorFlow 1.15.5 and 2.15.1 on this machine")
    pythons = (str(tf1), str(tf215), sys.executable)
    text = generator.generate(*(Sources(generator.find_package(p)) for p in pythons))
    assert text == generator.TABLE.read_text("utf-8")


# -- what compares the files notices a difference ----------------------------------------

_FILE = """\
from tensorflow.python.framework import helpers
from tensorflow.python.ops import gen_own_ops
from tensorflow.python.util.tf_export import tf_export

RATE = 0.5

@tf_export(v1=["public"])
def public(x):
  return x

def private(x, rate=RATE):
  y = gen_own_ops.own(x, 3)
  return helpers.scale(public(y), rate)
"""
_HELPERS = """\
def scale(x, by):
  return _multiply(x, by)

def _multiply(x, by):
  return x * by
"""
_GENERATED = "def own(x, times, fast=False, name=None):\n  return x\n"
_FILES = {
    "ops/own": _FILE,
    "framework/helpers": _HELPERS,
    "ops/gen_own_ops": _GENERATED,
}


def _write(
    directory: pathlib.Path, file: str = "", old: str = "", new: str = ""
) -> Sources:
    for name, text in _FILES.items():
        path = directory / "python" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        assert old in text or name != file
        path.write_text(text.replace(old, new) if name == file else text)
    return Sources(directory)


def _judge(old: Sources, new: Sources, name: str = "private") -> str:
    comparison = generator.Comparison(old, new)
    module = "tensorflow.python.ops.own"
    return generator.judge(
        comparison, old.resolve(module, name), new.resolve(module, name)
    )


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("", "", ""),
        # What says nothing about what it computes.
        ("ops/own", "(x, rate=RATE):", "(x: int, rate=RATE) -> int:\n  '''A text.'''"),
        ("ops/own", "def private", "@deprecated('soon')\ndef private"),
        # A public function is TensorFlow's promise; an operation keeps its meaning.
        ("ops/own", "return x", "return +x"),
        ("ops/gen_own_ops", "return x", "return +x"),
        ("ops/gen_own_ops", "fast=False", "fast=False, new=1"),
    ],
)
def test_the_same_is_found(
    tmp_path: pathlib.Path, file: str, old: str, new: str
) -> None:
    before = _write(tmp_path / "old")
    assert _judge(before, _write(tmp_path / "new", file, old, new)) == "text"


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("ops/own", "x, rate", "rate, x"),
        ("ops/own", "own(x, 3)", "own(x, 4)"),
        ("ops/own", "RATE = 0.5", "RATE = 0.6"),
        ("ops/own", "def private", "@twice\ndef private"),
        ("ops/own", "helpers.scale", "helpers.scale2"),
        # Two steps away, in another file.
        ("framework/helpers", "x * by", "x / by"),
        ("framework/helpers", "def _multiply", "def _other"),
        ("ops/own", 'v1=["public"]', 'v1=["other"]'),
        ("ops/gen_own_ops", "fast=False", "fast=True"),
        ("ops/gen_own_ops", "x, times", "times, x"),
    ],
)
def test_a_planted_difference_is_noticed(
    tmp_path: pathlib.Path, file: str, old: str, new: str
) -> None:
    before = _write(tmp_path / "old")
    changed = _write(tmp_path / "new", file, old, new)
    if old == 'v1=["public"]':  # It is compared by its text then.
        changed = _write(tmp_path / "new", file, "return x\n\n", "return +x\n\n")
        text = (tmp_path / "new/python/ops/own.py").read_text().replace(old, new)
        (tmp_path / "new/python/ops/own.py").write_text(text)
        changed = Sources(tmp_path / "new")
    assert _judge(before, changed) == "changed"


def test_an_operation_with_other_arguments_is_told(tmp_path: pathlib.Path) -> None:
    module = "tensorflow.python.ops.gen_own_ops"
    old = _write(tmp_path / "old")
    new = _write(tmp_path / "new", "ops/gen_own_ops", "fast=False, ", "")
    one, other = old.resolve(module, "own"), new.resolve(module, "own")
    comparison = generator.Comparison(old, new)
    assert generator.judge(comparison, one, other) == "arguments"
    assert generator.judge(generator.Comparison(old, old), one, one) == "op"
