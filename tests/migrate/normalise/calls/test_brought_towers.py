"""Functions that build towers, and those that pass arguments on, stand where they are called."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise import make_normal_forms
from migrate.normalise.calls.early_returns import return_lists
from migrate.normalise.names.statements import fold_conditions
from migrate.normalise.text import Text

PROGRAM = """\
import tensorflow as tf

N = 2


def model(x, y):
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
    return tf.reduce_mean(tf.square(tf.matmul(x, w) - y))


def on_device(index, fn, *args):
    with tf.device("/gpu:" + str(index)):
        with tf.variable_scope("net", reuse=index > 0):
            return fn(*args)


def train_step(x, y, n, opt):
    if n == 1:
        loss = model(x, y)
        return loss, opt.minimize(loss)
    losses = []
    grads = []
    for i in range(n):
        losses.append(on_device(i, model, tf.split(x, n)[i], tf.split(y, n)[i]))
        grads.append(opt.compute_gradients(losses[-1]))
    averaged = []
    for (g0, v0), (g1, _) in zip(*grads):
        averaged.append(((g0 + g1) / 2, v0))
    return tf.add_n(losses) / n, opt.apply_gradients(averaged)


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
loss, step_op = train_step(x, y, N, tf.train.GradientDescentOptimizer(0.1))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(10):
        _, value = sess.run([step_op, loss], {x: [[1.0, 2.0, 3.0]] * 2, y: [[1.0]] * 2})
        print(step, value)
"""


def _migrate(*edits: tuple[str, str]) -> tuple[str, set[str]]:
    text = PROGRAM
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    done = migrate_text(text)
    refused = (Outcome.REFUSED, Outcome.FAILED)
    return done.text, {f.code for f in done.findings if f.outcome in refused}


def _bring(text: str) -> str:
    return "\n".join(form.text.source for form in make_normal_forms(text))


@pytest.mark.parametrize(
    "edits",
    [
        (),
        (("n == 1", "n < 2"),),
        (
            (
                "    if n == 1:",
                "    if n == 0:\n        raise ValueError\n    if n == 1:",
            ),
        ),
        (("((g0 + g1) / 2, v0)", "(tf.add_n([g0, g1]) / 2.0, v0)"),),
    ],
)
def test_towers_of_functions(edits: tuple[tuple[str, str], ...]) -> None:
    text, refused = _migrate(*edits)
    assert not refused
    assert "MirroredStrategy" in text


@pytest.mark.parametrize(
    "edits",
    [
        # Another number of towers may be chosen.
        (("N = 2\n", "N = 2\nN = int(N)\n"),),
        # Other tensors than the last one, or another value of it.
        (("losses[-1]", "losses[-2] if i else losses[-1]"),),
        (("losses[-1]", "losses[0]"),),
        # Another average.
        (("(g0 + g1) / 2", "(g0 + g1) / 4"),),
        (("(g0 + g1) / 2", "(g0 + g0) / 2"),),
        # The arguments are changed, or read by their number.
        (("fn(*args)", "fn(*args[::-1])"),),
        (("fn(*args)", "fn(args[0], args[1])"),),
        (
            (
                "model, tf.split(x, n)[i], tf.split(y, n)[i]",
                "model, *tf.split(x, n)[:1], y",
            ),
        ),
        # What the other branch prints would be lost.
        (
            (
                "        return loss, opt",
                '        print("one")\n        return loss, opt',
            ),
        ),
    ],
)
def test_other_functions(edits: tuple[tuple[str, str], ...]) -> None:
    text, refused = _migrate(*edits)
    assert refused


def test_arguments_are_passed_on() -> None:
    brought = _bring(PROGRAM)
    assert "= model(args_0, args_1)\n" in brought
    assert "args_0 = tf.split(x, N)[" in brought
    assert "*args" not in brought


def test_a_constant_chooses_between_one_tower_and_several() -> None:
    text = "N = 2\nif N == 1:\n    pass\nelse:\n    opt.compute_gradients(loss)\n"
    assert "if False:" in fold_conditions(Text.read_source(text)).source
    for other in (
        text.replace("compute_gradients", "minimize"),
        text.replace("N = 2", "N = 2\nN = 3"),
        text.replace("N = 2", "N = number"),
    ):
        assert fold_conditions(Text.read_source(other)).source == other


GENERATOR = '''\
def towers(x):
    """Towers."""
    for part in x:
        yield loss(part)


losses = list(towers(xs))
'''
LISTED = '''\
def towers(x):
    """Towers."""
    listed = []
    for part in x:
        listed.append(loss(part))
    return listed


losses = towers(xs)
'''


def _return(source: str) -> str:
    return return_lists(Text.read_source(source)).source


def test_a_generator_that_is_listed_returns_a_list() -> None:
    assert _return(GENERATOR) == LISTED
    one = GENERATOR.replace("    for part in x:\n        yield", "    yield")
    listed = LISTED.replace("    for part in x:\n        listed.a", "    listed.a")
    assert _return(one) == listed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The program does something between two of its values.
        ("list(towers(xs))", "[print(l) for l in towers(xs)]"),
        ("list(towers(xs))", "[next(towers(xs)), *list(towers(xs))]"),
        ("list(towers(xs))", "[list(g) for g in map(towers, xs)]"),
        ("list(towers(xs))", "list(map(str, towers(xs)))"),
        # It is told something, or ends early.
        ("        yield loss", "        part = yield loss"),
        ("        yield loss", "        yield from loss"),
        (
            "        yield loss",
            "        if part:\n            return\n        yield loss",
        ),
        ("    for", "    try:\n        pass\n    finally:\n        close()\n    for"),
        ("def towers", "@once\ndef towers"),
    ],
)
def test_other_generators_stay(old: str, new: str) -> None:
    text = GENERATOR.replace(old, new)
    assert text != GENERATOR
    assert _return(text) == text
