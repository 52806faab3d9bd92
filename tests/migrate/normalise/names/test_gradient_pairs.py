"""Pairs of gradients and variables: code that takes only the variables needs no gradient.

The spellings of `tests/spellings/programs/accumulation` show that the numbers are the same.
"""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise.names.named_parts import separate_tensors
from migrate.normalise.names.statements import assign_initial_values
from migrate.normalise.text import Text

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.0))
opt = tf.train.MomentumOptimizer(0.05, 0.9)
# GRAPH
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        sess.run(zero)
        print(sess.run([loss, add], {x: np.ones([2, 3])})[0])
        sess.run(train_op)
"""
LISTS = """\
tvs = tf.trainable_variables()
sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for v in tvs]
zero = [s.assign(tf.zeros_like(s)) for s in sums]
pairs = opt.compute_gradients(loss, tvs)
add = [sums[i].assign_add(p[0]) for i, p in enumerate(pairs)]
train_op = opt.apply_gradients([(sums[i], p[1]) for i, p in enumerate(pairs)])
"""
LOOP = """\
pairs = opt.compute_gradients(loss)
sums, zeros, adds, given = [], [], [], []
for grad, var in pairs:
    s = tf.Variable(tf.zeros(var.get_shape()), trainable=False)
    sums.append(s)
    zeros.append(tf.assign(s, tf.zeros(var.get_shape())))
    adds.append(tf.assign_add(s, grad))
    given.append((s, var))
zero, add = tf.group(*zeros), tf.group(*adds)
train_op = opt.apply_gradients(given)
"""


def separate(graph: str) -> str:
    text = Text.read_source(PROGRAM.replace("# GRAPH\n", graph))
    return separate_tensors(text).source


def find_codes(graph: str) -> set[str]:
    findings = migrate_text(PROGRAM.replace("# GRAPH\n", graph)).findings
    return {f.code for f in findings if f.outcome is Outcome.REFUSED}


MIGRATED = {
    "lists": LISTS,
    "no list of variables": LISTS.replace("(loss, tvs)", "(loss)"),
    "a list in the call": LISTS.replace("(loss, tvs)", "(loss, var_list=[w, b])"),
    "halves by comprehensions": LISTS.replace(
        "[(sums[i], p[1]) for i, p in enumerate(pairs)]",
        "zip(sums, [v for _, v in pairs])",
    ),
    "divided": LISTS.replace(
        "pairs = opt.compute_gradients(loss, tvs)",
        "grads, vs = zip(*opt.compute_gradients(loss, tvs))",
    )
    .replace("p[0]) for i, p in enumerate(pairs)", "g) for i, g in enumerate(grads)")
    .replace("[(sums[i], p[1]) for i, p in enumerate(pairs)]", "zip(sums, vs)"),
    "a loop": LOOP,
    "a numbered loop": LOOP.replace(
        "grad, var in pairs", "i, (grad, var) in enumerate(pairs)"
    ),
    "a loop with named pairs": LOOP.replace("grad, var in", "p in")
    .replace(" grad)", " p[0])")
    .replace("var.", "p[1].")
    .replace(" var)", " p[1])"),
    "a dict by the variable's name": LOOP.replace(
        "    sums.append(s)\n", "    by_name[var.name] = s\n"
    )
    .replace("pairs = ", "by_name = {}\npairs = ")
    .replace("assign_add(s,", "assign_add(by_name[var.name],"),
    "gradients that are computed with": LOOP.replace(
        "    adds", "    clipped = tf.clip_by_norm(grad, 1.0)\n    adds"
    ).replace("(s, grad)", "(s, clipped)"),
}


@pytest.mark.parametrize("graph", MIGRATED.values(), ids=MIGRATED)
def test_a_run_of_what_needs_no_gradient_feeds_nothing(graph: str) -> None:
    assert not find_codes(graph)


REFUSED = {
    "the pairs are changed": LISTS.replace("train_op", "pairs.pop()\ntrain_op"),
    "the pairs have another name": LISTS.replace(
        "train_op", "p2 = pairs\np2.pop()\ntrain_op"
    ),
    "a function gets the pairs": LISTS.replace(
        "train_op", "cut(pairs)\ntrain_op"
    ).replace("tvs =", "def cut(l):\n    l.pop()\n\n\ntvs =", 1),
    "the variables are changed": LISTS.replace("train_op", "tvs.reverse()\ntrain_op"),
    "the variables have another name": LISTS.replace(
        "sums =", "t2 = tvs\nsums =", 1
    ).replace("train_op", "t2.pop()\ntrain_op"),
    "a list of lists": LISTS.replace("pairs =", "both = [[w], [b]]\npairs =").replace(
        "(loss, tvs)", "(loss, both)"
    ),
    "another optimizer": LISTS.replace(
        "tvs =",
        "class Own(tf.train.MomentumOptimizer):\n"
        "    def compute_gradients(self, loss, var_list=None):\n"
        "        return super(Own, self).compute_gradients(loss, var_list)[:1]\n\n\n"
        "opt = Own(0.05, 0.9)\ntvs =",
        1,
    ),
    "pairs without a gradient are left out": LISTS.replace(
        "p[1]) for i, p in enumerate(pairs)",
        "p[1]) for i, p in enumerate(pairs) if p[0] is not None",
    ),
}


@pytest.mark.parametrize("graph", REFUSED.values(), ids=REFUSED)
def test_pairs_that_may_be_others_are_refused(graph: str) -> None:
    assert find_codes(graph)


ORDER_MATTERS = {
    "it prints": LOOP.replace("    sums", "    print(var.name)\n    sums"),
    "what the round before made": LOOP.replace("(s, grad)", "(sums[-1], grad)"),
    "how much there is": LOOP.replace("grad)", "grad * float(len(given)))"),
    "another name of a list": LOOP.replace("for grad", "same = sums\nfor grad").replace(
        "(s, grad)", "(same[-1], grad)"
    ),
    "it may go on": LOOP.replace(
        "    s =", "    if grad is None:\n        continue\n    s ="
    ),
    "a name of the next round": LOOP.replace("for grad", "n = 1.0\nfor grad")
    .replace("grad)", "grad * n)")
    .replace("    given", "    n = n + 1.0\n    given"),
    "variables of both kinds": LOOP.replace(
        "    adds", "    other = tf.Variable(tf.zeros_like(grad))\n    adds"
    ),
    "a list that is filled before": LOOP.replace(
        "for grad", "zeros.append(w.assign(w))\nfor grad"
    ),
}


@pytest.mark.parametrize("graph", ORDER_MATTERS.values(), ids=ORDER_MATTERS)
def test_a_loop_whose_order_may_matter_stays_one(graph: str) -> None:
    """Beside the loop, a program has no `for` but that of its steps."""
    assert separate(graph).count("\nfor ") == 1


def test_a_loop_becomes_two() -> None:
    new = separate(LOOP)
    assert new.count("\nfor ") == 2
    assert "for var in trained_variables:\n    s = tf.Variable(" in new
    last = "for (grad, var), s in zip(pairs, sums):\n    adds.append(tf.assign_add(s, grad))\n"
    assert last in new


def test_a_name_of_a_round_is_kept_for_the_second_loop() -> None:
    new = separate(LOOP.replace("    sums.append(s)\n", ""))
    assert "s_list = []\nfor var in trained_variables:" in new
    assert "    s_list.append(s)\nfor (grad, var), s in zip(pairs, s_list):" in new


INITIAL = LISTS.replace("s.assign(tf.zeros_like(s)) for", "s.initializer for")


def test_an_initial_value_of_zeros_is_assigned() -> None:
    new = assign_initial_values(Text.read_source(INITIAL + "import tensorflow as tf\n"))
    assert "zero = [s.assign(tf.zeros_like(s)) for s in sums]\n" in new.source
    assert not find_codes(INITIAL)
    assert not find_codes(
        INITIAL.replace("tf.zeros_like(v.init", "tf.ones_like(v.init")
    )


OTHER_VALUES = {
    "drawn": INITIAL.replace(
        "tf.zeros_like(v.initialized_value())", "tf.random_uniform([1])"
    ),
    "of a variable": INITIAL.replace(
        "tf.zeros_like(v.initialized_value())", "v.initialized_value()"
    ),
    "of a list that is changed": INITIAL.replace(
        "zero =", "sums.append(tf.Variable(tf.ones([1]), trainable=False))\nzero =", 1
    ),
    "before another one's": "with tf.control_dependencies([s.initializer for s in sums]):".join(
        INITIAL.split("zero = [s.initializer for s in sums]")
    ).replace("]):\n", "]):\n    zero = tf.no_op()\n"),
}


@pytest.mark.parametrize("graph", OTHER_VALUES.values(), ids=OTHER_VALUES)
def test_another_initial_value_is_refused(graph: str) -> None:
    assert "S122" in find_codes(graph)


def test_what_a_run_gives_for_an_initializer_is_none() -> None:
    program = PROGRAM.replace("# GRAPH\n", INITIAL)
    read = program.replace("sess.run(zero)", "print(sess.run(zero))")
    assert ".initializer" in assign_initial_values(Text.read_source(read)).source


def test_a_variable_that_is_found_again_has_another_initial_value() -> None:
    made = (
        "with tf.variable_scope('a', reuse=tf.AUTO_REUSE):\n"
        "    s = tf.get_variable('s', [1], initializer=tf.zeros_initializer())\n"
        "zero = s.initializer\n"
    )
    assert ".initializer" in assign_initial_values(Text.read_source(made)).source


@pytest.mark.parametrize(
    "hashed", ["{v: 1.0 for v in tvs}", "{v for v in tvs}", "{w, b}", "{w: 1.0}"]
)
def test_variables_that_are_hashed_are_refused(hashed: str) -> None:
    graph = LISTS.replace("sums =", f"seen = {hashed}\nsums =", 1)
    used = graph.replace("add = [", "add = [loss * float(len(seen))] + [")
    assert "V127" in find_codes(used)
