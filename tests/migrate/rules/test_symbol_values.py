"""Migrated calls compute what TensorFlow 1.15.5 computed for the old ones."""

from __future__ import annotations

import importlib.util
import json
import pathlib
import subprocess
import tempfile
from typing import Any

import pytest

from migrate.compiler import migrate_text
from migrate.tables.calls import CALLS
from reference.environment import find_tf1
from tests.migrate.rules import case_values, row_cases, symbol_cases

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="needs tensorflow"
)
RECORDED: dict[str, Any] = (
    json.loads(symbol_cases.RECORDED.read_text("utf-8"))
    if symbol_cases.RECORDED.exists()
    else {}
)
# Float32 operations are the same kernels, but exp and log differ by one ULP between the
# versions (2.4e-7 after the sums of a softmax), and oneDNN sums convolutions in another
# order (5e-7 of terms up to 30). Integers, text and shapes are compared exactly.
RTOL, ATOL = 2e-6, 2e-6


def migrated(case: str) -> str:
    # The second line says TF1 where the call alone could be TF2's.
    text = f"import tensorflow as tf\ntf.log(1.0)\nvalue = {case}\n"
    result = migrate_text(text)
    assert not [f for f in result.findings if f.outcome.value == "refused"]
    return result.text


def value_of(text: str) -> Any:
    """Returns the value of `value` after a text has run in TensorFlow 2."""
    import tensorflow as tf
    from tensorflow.python.eager import context

    # Else an operation with a seed that has run before would go on with its stream.
    context.context().clear_kernel_cache()
    with tempfile.TemporaryDirectory() as folder:
        names = case_values.namespace(tf, folder)
        exec(text, names)
        value = names["value"]
        if callable(value) and not tf.is_tensor(value):
            at = tf.constant(names["labels"])
            with tf.GradientTape() as tape:
                tape.watch(at)
                result = value(at)
            value = tape.gradient(result, at)
        return case_values.describe(value)


def result_of(case: str, text: str) -> Any:
    """A case's value in TensorFlow 2, or the failure where TensorFlow 1 refuses it."""
    if case not in row_cases.FAILURES or case in row_cases.OF_TF2:
        return value_of(text)
    try:
        return value_of(text)
    except Exception as error:
        return case_values.describe_failure(error, row_cases.FAILURES[case])


def wanted(case: str) -> Any:
    """Returns TensorFlow 1.15.5's value, or TensorFlow 2's for one of its own calls."""
    if case in row_cases.OF_TF2:
        assert RECORDED[case] == {"raises": "any"}
        return value_of(f"value = {case}")
    return RECORDED[case]


def equal(found: dict[str, Any], recorded: dict[str, Any]) -> bool:
    import numpy as np

    if "raises" in found or "raises" in recorded:
        return found == recorded
    if found["dtype"] != recorded["dtype"]:
        return False
    one, two = np.asarray(found["value"]), np.asarray(recorded["value"])
    if one.shape != two.shape:
        return False
    if one.dtype.kind == "f":
        return bool(np.allclose(one, two, RTOL, ATOL, equal_nan=True))
    return bool((one == two).all())


@pytest.mark.parametrize("case", symbol_cases.CASES)
def test_value_is_that_of_tf1(case: str) -> None:
    assert case in RECORDED, (
        "record it: python -m tests.migrate.rules.symbol_cases PYTHON"
    )
    text = migrated(case)
    assert equal(result_of(case, text), wanted(case)), text


@pytest.mark.parametrize("case", symbol_cases.CONTROLS)
def test_the_name_alone_would_not_do(case: str) -> None:
    text = f"value = {symbol_cases.CONTROLS[case]}\n"
    try:
        found = value_of(text)
    except Exception:
        return  # It says so itself.
    assert not equal(found, RECORDED[case])


def test_recorded_values_are_those_of_the_cases() -> None:
    assert list(RECORDED) == list(symbol_cases.CASES)


@pytest.mark.skipif(find_tf1() is None, reason="no interpreter with TensorFlow 1.15.5")
def test_tf1_still_computes_the_recorded_values() -> None:
    assert symbol_cases.record(str(find_tf1())) == RECORDED


def test_every_row_has_a_case() -> None:
    called = "\n".join(symbol_cases.CASES)
    # A second name in another module (tf.math.reduce_sum) has the same target's name.
    proved = {
        (s.rpartition(".")[2], row.target.rpartition(".")[2])
        for s, row in CALLS.items()
        if f"{s}(" in called
    }
    missing = {
        s
        for s, row in CALLS.items()
        if (s.rpartition(".")[2], row.target.rpartition(".")[2]) not in proved
    }
    assert not missing


@pytest.mark.parametrize("module", ["", "debugging."])
@pytest.mark.parametrize(
    "name", ["equal", "greater", "greater_equal", "less", "less_equal"]
)
def test_assertions_hold_and_fail_alike(name: str, module: str) -> None:
    """Asserts of 2 and 1; TF1 raises as it builds the graph if both are constants."""
    import tensorflow as tf

    call = f"tf.{module}assert_{name}(2, 1, message='told')"
    text = migrated(call)
    assert f"tf.debugging.assert_{name}(2, 1, message='told')" in text
    holds = name.startswith("greater")
    try:
        exec(text, {"tf": tf})
    except tf.errors.InvalidArgumentError as error:
        assert not holds
        assert "told" in str(error)
    else:
        assert holds


FILES = """
import os
import tensorflow as tf

def work(top):
    one, two = os.path.join(top, "one"), os.path.join(top, "two")
    tf.gfile.MkDir(dirname=one)
    tf.gfile.MakeDirs(os.path.join(two, "below"))
    with tf.gfile.GFile(os.path.join(one, "a.txt"), "w") as f:
        f.write("text")
    with tf.gfile.Open(os.path.join(two, "b.txt"), mode="w") as f:
        f.write("longer text")
    tf.gfile.Copy(os.path.join(one, "a.txt"), os.path.join(two, "c.txt"))
    tf.gfile.Copy(os.path.join(one, "a.txt"), newpath=os.path.join(two, "c.txt"), overwrite=True)
    tf.gfile.Rename(oldname=os.path.join(two, "b.txt"), newname=os.path.join(two, "d.txt"))
    tf.gfile.Remove(os.path.join(one, "a.txt"))
    seen = [
        sorted(tf.gfile.ListDirectory(top)),
        sorted(f.rstrip("/") for f in tf.gfile.ListDirectory(dirname=two)),
        tf.gfile.Stat(filename=os.path.join(two, "d.txt")).length,
        [
            (os.path.relpath(where, top), sorted(dirs), sorted(files))
            for where, dirs, files in tf.gfile.Walk(top, in_order=False)
        ],
        tf.gfile.FastGFile(os.path.join(two, "c.txt")).read(),
        tf.gfile.Exists(filename=one),
    ]
    tf.gfile.DeleteRecursively(two)
    return seen + [tf.gfile.Exists(two), tf.gfile.IsDirectory(one)]
"""
# As TensorFlow 1.15.5 gives it.
SEEN = [
    ["one", "two"],
    ["below", "c.txt", "d.txt"],
    11,
    [
        ["one", [], []],
        ["two/below", [], []],
        ["two", ["below"], ["c.txt", "d.txt"]],
        [".", ["one", "two"], []],
    ],
    "text",
    True,
    False,
    True,
]


def _seen(value: list[Any]) -> Any:
    """Directories in any order."""
    value[3] = sorted(value[3])
    return json.loads(json.dumps(value))


def test_files_are_handled_alike(tmp_path: pathlib.Path) -> None:
    text = migrate_text(FILES).text
    assert "tf.gfile" not in text
    names: dict[str, Any] = {}
    exec(text, names)
    assert _seen(names["work"](str(tmp_path))) == _seen([*SEEN])


@pytest.mark.skipif(find_tf1() is None, reason="no interpreter with TensorFlow 1.15.5")
def test_tf1_handles_files_so(tmp_path: pathlib.Path) -> None:
    script = FILES + "\nimport json, sys\nprint(json.dumps(work(sys.argv[1])))\n"
    command = [str(find_tf1()), "-W", "ignore", "-c", script, str(tmp_path)]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        env=symbol_cases.clean_environment(),
        timeout=300,
        check=True,
    )
    assert _seen(json.loads(done.stdout.decode().splitlines()[-1])) == _seen([*SEEN])
