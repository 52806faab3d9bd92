"""Tensors that were a variable's own buffer: refused behind what changes the variable."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.tables import roles
from reference import processes

PROGRAM = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None])
w = tf.Variable([1.0], name="w")
rate = tf.Variable(0.1, trainable=False)
count = tf.Variable(0, trainable=False)
MADE
loss = tf.reduce_mean(tf.square(w * x - 3.0))
train = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=count)
LATER
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        print(sess.run(FETCHES, {x: [1.0, 2.0]})[1])
"""
# Statements, what is fetched.
REFUSED = {
    "trained": ("made = tf.identity(w)", "", "[train, made]"),
    "value": ("made = w.value()", "", "[train, made]"),
    "read_value": ("made = w.read_value()", "", "(train, made)"),
    "reshaped": ("made = tf.squeeze(tf.reshape(w, [1, 1]))", "", "[train, made]"),
    "of another": (
        "first = tf.identity(w)\nmade = tf.identity(first)",
        "",
        "[train, made]",
    ),
    "counted": ("made = tf.identity(count)", "", "[train, made]"),
    # It does not wait for the training operation, which comes last.
    "below": ("", "made = tf.identity(w)", "[train, made]"),
    "assigned": (
        "made = tf.identity(rate)\nwith tf.control_dependencies([made]):\n"
        "    up = tf.assign_add(rate, 1.0)",
        "",
        "[up, made]",
    ),
    "computed with": (
        "old = tf.identity(rate)\nwith tf.control_dependencies([old]):\n"
        "    up = tf.assign_add(rate, 1.0)\nwith tf.control_dependencies([up]):\n"
        "    made = old * 2.0",
        "",
        "[up, made]",
    ),
    # Two assignments of one statement: each may come first.
    "exchanged": (
        "a = tf.identity(rate)\nb = tf.identity(count)\n"
        "up = tf.group(rate.assign(tf.to_float(b)), count.assign(tf.to_int32(a)))\n"
        "made = rate * 1.0",
        "",
        "[up, loss]",
    ),
    "exchanged in a list": (
        "a = tf.identity(rate)\nb = tf.identity(count)\n"
        "up = [rate.assign(tf.to_float(b)), count.assign(tf.to_int32(a))]",
        "",
        "[up, loss]",
    ),
}
MIGRATED = {
    "not changed": ("made = tf.identity(rate)", "", "[train, made]"),
    "computed": ("made = w * 1.0", "", "[loss, made]"),
    "alone": ("made = tf.identity(w)", "", "[loss, made]"),
    "waiting": (
        "",
        "with tf.control_dependencies([train]):\n    made = w.read_value()",
        "[train, made]",
    ),
    "behind the assignment": (
        "up = tf.assign_add(rate, 1.0)\nwith tf.control_dependencies([up]):\n"
        "    made = tf.identity(rate.read_value())",
        "",
        "[up, made]",
    ),
    "assigned to itself": (
        "a = tf.identity(rate)\nup = tf.group(rate.assign(a * 2.0), count.assign(3))",
        "",
        "[up, loss]",
    ),
}


def _write(made: str, later: str, fetches: str) -> str:
    text = PROGRAM.replace("MADE", made).replace("LATER", later)
    return text.replace("FETCHES", fetches)


def _refused(text: str) -> list[Finding]:
    found = migrate_text(text).findings
    return [f for f in found if f.outcome is Outcome.REFUSED and f.code != "N100"]


@pytest.mark.parametrize("name", REFUSED)
def test_a_buffer_behind_a_change_is_refused(name: str) -> None:
    found = _refused(_write(*REFUSED[name]))
    assert {f.code for f in found} == {"S136"}
    assert all("itself, and the same run" in f.reason for f in found)


@pytest.mark.parametrize("name", MIGRATED)
def test_what_has_one_value_in_both_stays(name: str) -> None:
    assert not _refused(_write(*MIGRATED[name]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name="w"', 'name="w", use_resource=True'),
        ("MADE", "tf.enable_resource_variables()\nMADE"),
    ],
)
def test_a_resource_is_read(old: str, new: str) -> None:
    given = REFUSED["trained"]
    text = PROGRAM.replace(old, new).replace("MADE", given[0]).replace("LATER", "")
    found = _refused(text.replace("FETCHES", given[2]))
    assert not [f for f in found if f.code == "S136"]


def test_tf1_gave_the_buffer(tf1: str, tmp_path: pathlib.Path) -> None:
    """Every function of the table, and a control: a product is a value of its own."""
    first = {
        "tf.reshape": "tf.reshape(v, [1])",
        "tf.expand_dims": "tf.expand_dims(v, 0)",
    }
    made = [first.get(s, f"{s}(v)") for s in sorted(roles.SAME_BUFFER)]
    made += ["v.value()", "v.read_value()", "v * 1.0"]
    text = (
        f"import tensorflow as tf\nv = tf.Variable([1.0])\nmade = [{', '.join(made)}]\n"
        "with tf.control_dependencies(made):\n    up = v.assign_add([5.0])\n"
        "with tf.Session() as sess:\n    sess.run(v.initializer)\n"
        "    print([float(a.sum()) for a in sess.run(made + [up])])\n"
    )
    (tmp_path / "main.py").write_text(text, "utf-8")
    out = processes.run_program([tf1, tmp_path / "main.py"], directory=tmp_path)
    assert out.stdout.strip() == str([6.0] * (len(made) - 1) + [1.0, 6.0])
