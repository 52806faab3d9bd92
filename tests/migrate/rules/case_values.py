"""Computes the value of a case, and writes it down.

Both TensorFlow versions use it. `evaluate` runs under Python 3.7 in TensorFlow 1.15.5's
process, so this file keeps to its syntax and imports nothing of the project.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from typing import Any

# What the calls are about; floats that are exact, so that most results are too.
_NAMES = """
import os
import numpy as np
x = np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5
ints = np.array([[3, 0, -7], [8, 2, 0]], np.int32)
image = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2) / 8
volume = np.arange(16, dtype=np.float32).reshape(1, 2, 4, 2, 1) / 4
kernel = np.arange(36, dtype=np.float32).reshape(3, 3, 2, 2) / 8 - 2
line = np.arange(8, dtype=np.float32).reshape(1, 4, 2)
labels = np.array([[1, 0, 0], [0, .5, .5]], np.float32)
classes = np.array([0, 2], np.int32)
words = np.array([b"3", b"-1.5"])
rows = np.array([b"1,2.5", b"3,4.5"])
letters = np.array([[b"a", b"b"], [b"c", b"d"]])

def in_graph(make):
    with tf.Graph().as_default():
        return make()

def shape_of(make):
    return in_graph(lambda: make().shape.as_list())

def collected(name):
    return len(tf.compat.v1.get_collection(name))

def inside(context, make):
    with context:
        return make()

os.makedirs(os.path.join(folder, "deep", "er"))
for name in ("a", "b"):
    with open(os.path.join(folder, "deep", name), "w") as file:
        file.write(name * 5)

def below(path):
    return sorted(os.path.relpath(os.path.join(d, n), path)
                  for d, ds, fs in os.walk(path) for n in ds + fs)
"""


def namespace(tf: Any, folder: str) -> dict[str, Any]:
    """Makes the names that the cases use.

    Args:
      folder: an empty directory. Cases that read and change files do it there.
    """
    names: dict[str, Any] = {"tf": tf, "folder": folder}
    exec(_NAMES, names)
    return names


def plain(value: Any) -> Any:
    """A value as JSON has it: nested lists; bytes as text, complex numbers as pairs."""
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind == "c":
        return plain(np.stack([array.real, array.imag]))
    if array.dtype.kind in "OSU":
        return np.vectorize(
            lambda b: b.decode() if isinstance(b, bytes) else b, otypes=[object]
        )(array).tolist()
    return array.tolist()


def describe(value: Any) -> dict[str, Any]:
    """A value and its type. Text has one type, however an array keeps it."""
    import numpy as np

    dtype = np.asarray(value).dtype
    return {
        "dtype": "text" if dtype.kind in "OSU" else dtype.name,
        "value": plain(value),
    }


def describe_failure(error: BaseException, pattern: str | None) -> dict[str, Any]:
    """The type of an error, and the part of its message that a pattern is about."""
    if pattern is None:
        return {"raises": "any"}
    found = re.search(pattern, str(error))
    return {"raises": type(error).__name__, "says": found.group() if found else None}


def _compute(case: str) -> Any:
    import tensorflow as tf

    graph, temporary = tf.Graph(), tempfile.TemporaryDirectory()
    with graph.as_default(), tf.Session() as session, temporary as folder:
        names = namespace(tf, folder)
        value = eval(case, names)
        if case.startswith("lambda"):
            at = tf.constant(names["labels"])
            value = tf.gradients(value(at), at)[0]
        session.run(tf.global_variables_initializer())
        fetched = isinstance(value, (tf.Tensor, tf.Operation, tf.Variable))
        return session.run(value) if fetched else value


def evaluate(cases: list[str], failures: dict[str, str | None]) -> dict[str, Any]:
    """The values of TF1 source in TensorFlow 1's process.

    Args:
      failures: those of the cases that must fail -> a pattern in the message, or None.
    """
    values: dict[str, Any] = {}
    for case in cases:
        if case not in failures:
            values[case] = describe(_compute(case))
            continue
        try:
            _compute(case)
        except Exception as error:
            values[case] = describe_failure(error, failures[case])
        else:
            raise AssertionError("TensorFlow 1 does not refuse " + case)
    return values


if __name__ == "__main__":
    print(json.dumps(evaluate(**json.load(sys.stdin))))
