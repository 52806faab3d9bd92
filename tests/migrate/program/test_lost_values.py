"""Plain values of blocks that go into the step: computed there too, or refused."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes

PROGRAM = """\
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
h = tf.matmul(x, w)
loss = tf.reduce_mean(tf.square(h - 1.0))
{graph}
opt = tf.train.GradientDescentOptimizer({rate})
grads = opt.compute_gradients(loss)
{gradients}
train = opt.apply_gradients(grads)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range({steps}):
    _, v = sess.run([train, loss], {{x: np.ones([4, 3])}})
    print("OUT %.4f" % v)
{after}
"""


def _write(
    graph: str = "",
    gradients: str = "",
    rate: str = "0.01",
    steps: str = "3",
    after: str = "",
) -> str:
    return PROGRAM.format(
        graph=graph, gradients=gradients, rate=rate, steps=steps, after=after
    )


LOST = {
    "how often": _write("n = 0\nfor t in [h, h * 2.0]:\n    n += 1", steps="n"),
    "in a scope": _write(
        'n = 0\nwith tf.name_scope("a"):\n    for t in [h, loss]:\n        n += 1',
        steps="n",
    ),
    "a rate": _write("lr = 0.1\nif loss is not None:\n    lr = 0.01", rate="lr"),
    "a rate by type": _write(
        "lr = 0.1\nif h.dtype == tf.float32:\n    lr = 0.01", rate="lr"
    ),
    "through another": _write(
        "n = 0\nfor t in [h, h]:\n    loss = loss + tf.reduce_mean(t)\n    n += 1\nlr = 0.1 / n",
        rate="lr",
    ),
    "what is tried": _write(
        "lr = 0.1\ntry:\n    q = h[:, 5]\n    lr = 0.2\nexcept ValueError:\n    lr = 0.01",
        rate="lr",
    ),
    "a list": _write(
        gradients="names = []\nfor g, v in grads:\n    names.append(v.name)",
        after="print(names)",
    ),
    "a list of numbers": _write(
        "names = []\nfor i, t in enumerate([h, loss]):\n    names.append('%d' % i)",
        after="print(names)",
    ),
    "a list of the same": _write(
        "names = []\nfor t in [h, loss]:\n    names.append('t')", after="print(names)"
    ),
    "the last number": _write(
        "for i, t in enumerate([h, loss]):\n    loss = loss + tf.reduce_mean(t)",
        steps="i",
    ),
    "in a function": _write(
        "n = 0\nfor t in [h, loss]:\n    n += 1\ndef show():\n    print(n)",
        after="show()",
    ),
}


@pytest.mark.parametrize("text", LOST.values(), ids=LOST)
def test_a_value_that_only_the_step_would_compute_is_refused(text: str) -> None:
    """TF1 built the graph once, and a counter in that code was Python's."""
    refused = {
        f.code for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED
    }
    assert "N103" in refused


KEPT = {
    "bound anew": _write(
        "for t in [h, loss]:\n    n = 1\n    loss = loss + n * tf.reduce_mean(t)\nn = 2",
        steps="n",
    ),
    "not read": _write("n = 0\nfor t in [h, h * 2.0]:\n    n += 1"),
    "by a host's number": _write(
        "n = 0\nfor i in range(3):\n    loss = loss + tf.reduce_mean(h)\n    n += 1",
        steps="n",
    ),
    "by a static shape": _write("n = 1\nif h.shape[1] == 1:\n    n = 2", steps="n"),
    "by a name for that": _write(
        "wide = x.shape[1] == 3\nif wide:\n    lr = 0.2\nelse:\n    lr = 0.1", rate="lr"
    ),
    "by a constant": _write(
        "mask = tf.ones([4])\nlr = 0.1\nif mask is None:\n    lr = 0.01\nelse:\n"
        "    loss = loss * tf.reduce_mean(mask)\n    lr = 0.02",
        rate="lr",
    ),
    "a number of a loop over tensors": _write(
        "for i, t in enumerate([h, h]):\n    if i > 0:\n"
        "        loss = loss + i * tf.reduce_mean(t)"
    ),
    "fetched": _write("for t in [h, h]:\n    loss = loss + tf.reduce_mean(t)"),
    "summaries": _write(
        gradients="for g, v in grads:\n    name = v.op.name\n    tf.summary.histogram(name, g)"
    ),
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_values_that_nothing_outside_reads_are_not(text: str) -> None:
    assert not [f for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED]


# What TensorFlow 1.15.5 prints.
COMPUTED = {
    "a while loop's counter": (
        "k = 3\ng = loss\nwhile k > 0:\n    g = g * 1.1\n    k -= 1\nloss = g",
        ["5.3240", "4.5076", "3.8164"],
    ),
    "the numbers of a loop over tensors": (
        "for i, t in enumerate([h, h * 2.0, h]):\n    k = i * 0.5\n    if i == 2:\n"
        "        k = 0.25\n    loss = loss + k * tf.reduce_mean(t)\nloss = loss * i",
        ["15.5000", "12.3909", "9.9833"],
    ),
    "what a lambda reads": (
        "k = 2.0\nf = lambda t: t * k\nloss = f(loss)\nk = 50.0",
        ["8.0000", "6.1952", "4.7976"],
    ),
    "what a function reads": (
        "s = 2.0\ndef body(t):\n    return t * s\nloss = body(loss)\ns = 50.0",
        ["8.0000", "6.1952", "4.7976"],
    ),
}


@pytest.mark.parametrize(("graph", "printed"), COMPUTED.values(), ids=COMPUTED)
def test_the_step_computes_plain_values_that_change_on_the_way(
    graph: str, printed: list[str], tmp_path: pathlib.Path
) -> None:
    new = migrate_text(_write(graph)).text
    assert new != _write(graph)
    program = tmp_path / "program.py"
    program.write_text(new)
    beside.write(tmp_path, new)
    done = processes.run_program([sys.executable, program], timeout=120)
    assert [line[4:] for line in done.stdout.splitlines() if "OUT" in line] == printed


@pytest.mark.parametrize("of", ["i", "'%d' % i"])
def test_a_list_of_numbers_that_the_step_reads_is_refused(of: str) -> None:
    """The step would not fill the list."""
    text = _write(
        f"seen = []\nfor i, t in enumerate([h, h]):\n    seen.append({of})\n"
        "    loss = loss + len(seen) * tf.reduce_mean(t)"
    )
    refused = {
        f.code for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED
    }
    assert refused == {"G007", "N100"}
