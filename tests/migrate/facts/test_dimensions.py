"""A dimension of a static shape is a number in TensorFlow 2: its `value` goes."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes, runner

HEAD = """from functools import reduce
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3, 4])
class Layer(object):
    def __init__(self, x): self.size = x.shape[-1]
    def width(self): return self.size.value
def sizes_of(t):
    b, h, w = t.shape
    return h, w
def count(t):
    n = 1
    for d in t.get_shape()[1:]:
        n *= d.value
    return n
"""
TAIL = """
with tf.Session() as s:
    print(s.run(y, {x: np.ones((2, 3, 4))}))
"""
# `n` in as many ways: the number that `y` is multiplied by.
SPELLINGS = {
    "chain": "n = x.shape[1].value * x.get_shape()[2].value",
    "product": "n = (x.shape[1] * x.shape[2] * 2 + 1).value",
    "comprehension": "h, w = [d.value for d in x.shape[1:]]; n = h * w",
    "sum": "n = sum(d.value for d in x.get_shape() if d.value)",
    "dict": "sizes = {'h': x.shape[1]}; n = sizes['h'].value",
    "list": "sizes = []\nfor d in x.shape[1:]:\n    sizes.append(d)\nn = sizes[0].value",
    "rank": "sizes = x.get_shape().with_rank(3); n = sizes[1].value",
    "reduce": "n = reduce(lambda a, b: a * b, x.get_shape()[1:]).value",
    "np.prod": "n = np.prod(x.get_shape()[1:]).value",
    "np.prod of numbers": "n = np.prod([int(i) for i in x.get_shape()[1:]])",
    "map": "_, h, w = list(map(lambda d: d.value, x.shape)); n = h * w",
    "loop": "n = 1\nfor d in x.shape[1:]:\n    n *= d.value",
    "enumerate": "n = 1\nfor i, d in enumerate(x.shape):\n    if i:\n        n *= d.value",
    "test": "n = x.shape[1].value if x.shape[1].value is not None else 1",
    "or": "last = x.shape[-1]\nn = (last or 1).value",
    "unpacked": "size, = x.shape[2:]; n = size.value",
    "object": "n = Layer(x).width()",
    "pair": "h, w = sizes_of(x); n = (h * w).value",
    "helper": "n = count(x)",
    "argument": "def width(d): return d.value\nn = width(x.shape[2])",
    "list of sizes": "sizes = x.shape.as_list()\nsizes[0] = -1\nn = sizes[1]",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_what_is_a_dimension_has_no_value(spelling: str) -> None:
    text = f"{HEAD}{SPELLINGS[spelling]}\ny = x * float(n)\n{TAIL}"
    done = migrate_text(text)
    assert not [
        f for f in done.findings if f.outcome in (Outcome.REFUSED, Outcome.FAILED)
    ]
    assert "tf.placeholder" not in done.text and ".value" not in done.text


def test_what_may_be_something_else_is_refused_at_its_line() -> None:
    more = (
        "class Size(object):\n    value = 3\ndef width(d): return d.value\n"
        "n = width(x.shape[1]) + width(Size())"
    )
    text = f"{HEAD}{more}\ny = x * float(n)\n{TAIL}"
    found = migrate_text(text).findings
    (refused,) = [f for f in found if f.code == "E105"]
    assert refused.outcome is Outcome.REFUSED
    assert text.split("\n")[refused.line - 1] == "def width(d): return d.value"


@pytest.mark.parametrize(
    "line",
    [
        "value = event.summary.value",
        "print(flag.value)",
        "for c in [Color.RED]: print(c.value)",
        "print(tf.Dimension(3).value)",
        "print(tf.zeros([2]).shape.dims[0].value)",
    ],
)
def test_other_values_stay(line: str) -> None:
    text = f"import tensorflow as tf\nx = tf.log(1.0).shape\n{line}\n"
    done = migrate_text(text)
    assert ".value" in done.text
    assert not [f for f in done.findings if f.code == "E105"]


def test_a_library_without_a_session_has_numbers() -> None:
    text = (
        "import tensorflow as tf\ndef flat(x):\n    s = x.get_shape()\n"
        "    return tf.log(tf.reshape(x, [-1, s[1].value * s[2].value]))\n"
    )
    assert "s[1] * s[2]" in migrate_text(text).text


def test_all_spellings_give_what_tf1_gives(tf1: str, tmp_path: pathlib.Path) -> None:
    parts = "".join(f"{part}\ny = y + float(n)\n" for part in SPELLINGS.values())
    text = f"{HEAD}y = x\n{parts}{TAIL}"
    done = migrate_text(text)
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text(text)
    new.write_text(done.text)
    beside.write(tmp_path, done.text)
    printed = [
        processes.run_program([python, path], environment=runner.ENVIRONMENT).stdout
        for python, path in ((tf1, old), (sys.executable, new))
    ]
    assert printed[0] == printed[1] and "[[[" in printed[0]
