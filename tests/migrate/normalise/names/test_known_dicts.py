"""Loops over dicts whose keys the program shows, and calls with `**`."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.frontends.sessions.known_dicts import write_out_dicts
from migrate.frontends.sessions.variables_at_once import run_variables_at_once
from migrate.normalise.text import Text

START = """\
x = tf.placeholder(tf.float32)
y = tf.placeholder(tf.float32)
given = {"x": x, "y": y}
"""


def _write(source: str) -> str:
    return write_out_dicts(Text.read_source(source)).source


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "parts = {k: tf.split(v, 2) for k, v in given.items()}\n",
            "parts = {'x': tf.split(x, 2), 'y': tf.split(y, 2)}\n",
        ),
        (
            "parts = {}\nfor k, v in given.items():\n    parts[k] = tf.split(v, 2)\n",
            "parts = {'x': tf.split(x, 2), 'y': tf.split(y, 2)}\n",
        ),
        ("sizes = [size(v) for v in given.values()]\n", "sizes = [size(x), size(y)]\n"),
        ("words = [k for k in given]\n", "words = ['x', 'y']\n"),
        ("z = model(1, **given)\n", "z = model(1, x=x, y=y)\n"),
        (
            "z = model(**{k: v[0] for k, v in given.items()})\n",
            "z = model(x=x[0], y=y[0])\n",
        ),
    ],
)
def test_a_dict_that_is_shown_is_known(old: str, new: str) -> None:
    assert _write(START + old) == START + new


@pytest.mark.parametrize(
    "changed",
    [
        "given['z'] = z\n",
        "given.pop('x')\n",
        "change(given)\n",
        "other = given\nother['z'] = z\n",
        "given = dict(given)\n",
        "given.update(z=z)\n",
        "del given['x']\n",
        "kept = [given]\n",
    ],
)
def test_a_dict_that_may_change_is_not(changed: str) -> None:
    use = "parts = {k: f(v) for k, v in given.items()}\nz = model(**given)\n"
    rest = f"print()\n{changed}{use}"
    assert _write(START + rest) == START + rest
    assert _write(START + use) != START + use


@pytest.mark.parametrize(
    "use",
    [
        # What it does is no assignment, or needs the loop's names later.
        "for k, v in given.items():\n    print(k)\n",
        "for k, v in given.items():\n    z = f(v)\nprint(v)\n",
        "for k, v in given.items():\n    v = f(v)\n",
        "for k, v in sorted(given.items()):\n    z = f(v)\n",
        "parts = {k: f(v) for k, v in given.items() if k != 'x'}\n",
        "parts = {k: [v for _ in range(2)] for k, v in given.items()}\n",
        "parts = {k: (lambda: v) for k, v in given.items()}\n",
    ],
)
def test_other_loops_stay(use: str) -> None:
    assert _write(START + use) == START + use


def test_a_value_that_has_another_name_later_is_read_from_the_dict() -> None:
    text = START + "x = x * 2.0\nz = model(**given)\n"
    new = "x = x * 2.0\nz = model(x=given['x'], y=y)\n"
    assert _write(text) == START + new


PARALLEL = """\
import numpy as np
import tensorflow as tf


def make_parallel(fn, num_gpus, **kwargs):
    in_splits = {}
    for k, v in kwargs.items():
        in_splits[k] = tf.split(v, num_gpus)
    out_split = []
    for i in range(num_gpus):
        with tf.device(tf.DeviceSpec(device_type="GPU", device_index=i)):
            with tf.variable_scope(tf.get_variable_scope(), reuse=i > 0):
                out_split.append(fn(**{k: v[i] for k, v in in_splits.items()}))
    return tf.concat(out_split, axis=0)


def model(a, b):
    w = tf.get_variable("w", [3, 1])
    return tf.square(tf.matmul(a, w) - b)


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
opt = tf.train.GradientDescentOptimizer(0.1)
loss = tf.reduce_mean(make_parallel(model, 2, a=x, b=y))
train_op = opt.minimize(loss, colocate_gradients_with_ops=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        data = np.ones([4, 3])
        _, value = sess.run([train_op, loss], {x: data, y: data[:, :1]})
        print(value)
"""


def _list_refused(text: str) -> set[str]:
    refused = (Outcome.REFUSED, Outcome.FAILED)
    return {f.code for f in migrate_text(text).findings if f.outcome in refused}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a=x, b=y", "b=y, a=x"),
        (
            "make_parallel(model, 2, a=x, b=y)",
            "make_parallel(num_gpus=2, b=y, fn=model, a=x)",
        ),
        ("tf.concat(out_split, axis=0)", "tf.stack(out_split)"),
    ],
)
def test_make_parallel(old: str, new: str) -> None:
    text = PARALLEL.replace(old, new)
    assert not _list_refused(text)
    assert "MirroredStrategy" in migrate_text(text).text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    out_split = []", "    kwargs.pop('a')\n    out_split = []"),
        ("    out_split = []", "    in_splits['a'].reverse()\n    out_split = []"),
        (
            "    out_split = []",
            "    in_splits['a'] = in_splits['b']\n    out_split = []",
        ),
        ("a=x, b=y", "a=x, **{'b': y}"),
        ("tf.concat(out_split, axis=0)", "out_split[0]"),
    ],
)
def test_another_make_parallel(old: str, new: str) -> None:
    text = PARALLEL.replace(old, new)
    assert text != PARALLEL
    assert _list_refused(text)


VARIABLES = """\
w = tf.Variable(1.0)
b = tf.get_variable("b", [])
params = [w, b]
for p in params:
    log(sess.run(p))
"""
AT_ONCE = VARIABLES.replace("in params:", "in sess.run(params):").replace(
    "log(sess.run(p))", "log(p)"
)


def _run_at_once(source: str) -> Text:
    return run_variables_at_once(Text.read_source(f"import tensorflow as tf\n{source}"))


def test_variables_that_a_loop_runs_are_run_at_once() -> None:
    assert _run_at_once(VARIABLES).source == f"import tensorflow as tf\n{AT_ONCE}"
    shown = VARIABLES.replace("in params", "in (w, b)")
    assert "for p in sess.run((w, b)):" in _run_at_once(shown).source


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("log(sess.run(p))", "log(sess.run(p), p.name)"),
        ("log(sess.run(p))", "log(sess.run(p))\n    sess.run(train_op)"),
        ("log(sess.run(p))", "log(sess.run(p, feed))"),
        ("log(sess.run(p))", "log(sess.run(p))\nprint(p)"),
        ("log(sess.run(p))", "log(lambda: sess.run(p))"),
        # A tensor may be drawn anew in each run.
        ("tf.Variable(1.0)", "tf.random_normal([])"),
        ("[w, b]", "[w, b]\nparams = tf.trainable_variables()"),
        ("[w, b]", "make(w, b)"),
        ("params = ", "w = f(w)\nparams = "),
    ],
)
def test_other_runs_stay(old: str, new: str) -> None:
    text = VARIABLES.replace(old, new)
    assert text != VARIABLES
    assert _run_at_once(text).source == f"import tensorflow as tf\n{text}"
