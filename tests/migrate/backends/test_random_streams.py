"""Checks which draws are reported: several step functions repeat one TF1 stream."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """import tensorflow as tf
{}
x = tf.placeholder(tf.float32, [2])
class Noise(object):
    def add(self, v): return v + tf.random_uniform([2])
def add(v): return v + tf.truncated_normal([2])
{}
z = y * 2.0
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    print(s.run(y, {{x: [1.0, 2.0]}}))
    print(s.run(z, {{x: [1.0, 2.0]}}))
"""
SEEDS = (
    "tf.set_random_seed(7)",
    "tf.random.set_random_seed(7)",
    "tf.compat.v1.set_random_seed(seed=7)",
    "tf.get_default_graph().seed = 7",
    "g = tf.get_default_graph()\ng.seed = 7",
    "def seed(): tf.set_random_seed(7)\nseed()",
)
DRAWS = (
    "y = x + tf.random_uniform([2])",
    "y = x + tf.random.normal([2])",
    "y = add(x)",
    "y = Noise().add(x)",
    "y = tf.layers.dropout(x, 0.5, training=True)",
    "y = tf.nn.dropout(x, 0.5)",
    "y = tf.keras.layers.GaussianNoise(1.0)(x, training=True)",
    "y = tf.random_shuffle(x)",
    "y = x\nfor _ in range(2):\n    y = y + tf.random_normal([2])",
    "with tf.name_scope('a'):\n    y = x + tf.random_uniform([2])",
    "y = tf.cond(x[0] > 0., lambda: x + tf.random_uniform([2]), lambda: x)",
    "y = x + tf.distributions.Normal(0., 1.).sample([2])",
)


def told(seed: str, draw: str) -> bool:
    findings = migrate_text(PROGRAM.format(seed, draw)).findings
    return any(f.code == "I112" and f.outcome is Outcome.WARNED for f in findings)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_seed_of_a_graph_counts(seed: str) -> None:
    assert told(seed, DRAWS[0])


@pytest.mark.parametrize("draw", DRAWS)
def test_each_draw_of_several_steps_is_told(draw: str) -> None:
    assert told(SEEDS[0], draw)


@pytest.mark.parametrize(
    ("seed", "draw"),
    [
        ("", DRAWS[0]),  # Without a seed each stream is another.
        ("tf.set_random_seed(None)", DRAWS[0]),
        (SEEDS[0], "y = x + 1.0"),
        (
            SEEDS[0],
            "with tf.variable_scope('a'):\n    w = tf.get_variable("
            "'w', [2], initializer=tf.truncated_normal_initializer(seed=3))\n"
            "    y = x * w",
        ),
    ],
)
def test_what_repeats_nothing_is_not_told(seed: str, draw: str) -> None:
    assert not told(seed, draw)


ONE_STEP = PROGRAM.replace("    print(s.run(z, {{x: [1.0, 2.0]}}))\n", "")


@pytest.mark.parametrize(
    ("seed", "draw", "said"),
    [
        # Measured: the graph's seed gives other numbers in a step function.
        (SEEDS[0], "y = tf.nn.dropout(x, 0.5)", True),
        ("", "y = tf.nn.dropout(x, 0.5)", False),
        # Measured: two dropouts of one step with one seed draw what they drew in TF1.
        (
            SEEDS[0],
            "y = tf.nn.dropout(tf.nn.dropout(x, 0.5, seed=3), 0.5, seed=3)",
            False,
        ),
    ],
)
def test_what_one_step_draws_by_the_graphs_seed_is_told(
    seed: str, draw: str, said: bool
) -> None:
    findings = migrate_text(ONE_STEP.format(seed, draw)).findings
    warned = [f for f in findings if f.code == "I112" and f.outcome is Outcome.WARNED]
    assert bool(warned) == said


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        # Measured: TF1 draws by the seed that the graph had when the operation was made.
        ("", "tf.set_random_seed(7)", True),
        ("tf.set_random_seed(7)", "tf.set_random_seed(8)", True),
        ("", "tf.get_default_graph().seed = 7", True),
        ("tf.set_random_seed(7)", "", False),
        ("", "", False),
    ],
)
def test_a_seed_of_the_graph_below_an_operation(
    before: str, after: str, said: bool
) -> None:
    draw = f"y = tf.nn.dropout(x, 0.5, seed=3)\n{after}"
    findings = migrate_text(ONE_STEP.format(before, draw)).findings
    told = [f for f in findings if f.code == "I112"]
    assert bool(told) is said
    assert all("another seed below" in f.reason for f in told)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("w = tf.Variable(tf.random_normal([2]))", True),
        ("first = tf.random_normal([2])\nw = tf.Variable(first)", True),
        ("w = tf.get_variable('w', [2])", True),
        ("w = tf.Variable(tf.random_normal([2], seed=3))", False),
        ("w = tf.Variable(tf.zeros([2]))", False),
        ("w = tf.get_variable('w', [2], initializer=tf.ones_initializer())", False),
        (
            "w = tf.get_variable('w', [2], initializer=tf.random_normal_initializer())",
            True,
        ),
        ("w = tf.layers.dense(x[None], 2)[0]", True),
    ],
)
def test_first_values_of_the_graphs_seed_are_told(
    seed: str, made: str, said: bool
) -> None:
    """Measured: TensorFlow 2 draws other ones. See docs/limits/numbers.md."""
    findings = migrate_text(PROGRAM.format(seed, f"{made}\ny = x * w")).findings
    lines = [f.line for f in findings if "first values" in f.reason]
    assert bool(lines) == said
    assert all(2 <= line <= 3 for line in lines)  # The seed's line.


_SESSIONS = """import tensorflow as tf
a = tf.random_uniform([3], seed=4)
with tf.Session() as s:
    print(s.run(a))
with tf.Session() as s:
    print({})
"""


@pytest.mark.parametrize("shown", ["s.run(a)", "1"])
def test_a_step_that_several_sessions_run_is_told(shown: str) -> None:
    """TensorFlow 1 began the stream of a seed again in each session."""
    findings = migrate_text(_SESSIONS.format(shown)).findings
    told = [f for f in findings if f.reason.startswith("several sessions run this")]
    assert bool(told) == (shown == "s.run(a)")


AGAIN = """\
import tensorflow as tf
w = tf.Variable(tf.random_normal([3, 1]))
y = tf.reduce_sum(w)
with tf.Session() as sess:
    for i in range(2):
        sess.run(tf.global_variables_initializer())
        print(sess.run(y))
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("", "", True),
        # The stream of a seed goes on within a session.
        ("[3, 1])", "[3, 1], seed=1)", True),
        ("tf.random_normal([3, 1])", "tf.ones([3, 1])", False),
        ("    for i in range(2):\n    ", "    if True:\n    ", False),
        (
            "w = tf.Variable(tf.random_normal([3, 1]))",
            "w = tf.get_variable('w', [3, 1])",
            True,
        ),
    ],
)
def test_values_that_were_drawn_anew_are_told(old: str, new: str, told: bool) -> None:
    found = migrate_text(AGAIN.replace(old, new)).findings
    assert not [f for f in found if f.outcome is Outcome.REFUSED]
    warned = [f for f in found if f.code == "I112" and f.outcome is Outcome.WARNED]
    assert [f.line for f in warned] == ([2] if told else [])
