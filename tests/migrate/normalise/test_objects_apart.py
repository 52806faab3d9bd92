"""Objects that hold a session are taken apart only if each use of them is known."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAMS = pathlib.Path(__file__).parents[2] / "programs" / "alone"
AGENT = (PROGRAMS / "agent_in_a_function.py").read_text()


def is_refused(text: str) -> bool:
    return any(f.blocks for f in migrate_text(text).findings)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.counter = 0\n", "self.counter = None\n"),
        ("self.counter = 0\n", "self.counter = len(self.costs)\n"),
        ("self.learned = 0\n", "self.learned = self.counter = 0\n"),
        ("    walk(np.", "    agent.counter = None\n    walk(np."),
        ("hasattr(self, 'counter')", "hasattr(self, name)"),
        ("    walk(np.", "    print(agent)\n    walk(np."),
        ("import sys\n", "import sys\nfrom os import path as json\nprint(json)\n"),
    ],
    ids=[
        "none",
        "a call",
        "made at once",
        "set outside",
        "by a name",
        "shown",
        "another import",
    ],
)
def test_what_is_not_known_stays_an_object(old: str, new: str) -> None:
    assert AGENT.count(old) == 1
    assert is_refused(AGENT.replace(old, new))


def test_an_attribute_that_is_not_there_yet_is_none() -> None:
    done = migrate_text(AGENT).text
    assert not is_refused(AGENT)
    assert done.index("counter = None") < done.index("if counter is None:")


LATER = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])


class Actor(object):
    def __init__(self, sess):
        self.sess = sess
        self.w = tf.get_variable("actor", [2, 1])

    def add(self):
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
            tf.reduce_sum(tf.matmul(x, self.w)), var_list=[self.w])
        self.count = 5

    def learn(self):
        self.sess.run(self.train_op, {x: [[1.0, 2.0]]})


class Critic(object):
    def __init__(self, sess):
        self.sess = sess
        self.w = tf.get_variable("critic", [2, 1])
        self.count = 0
        CRITIC

    def learn(self):
        self.sess.run(self.op, {x: [[1.0, 2.0]]})


sess = tf.Session()
actor = Actor(sess)
critic = Critic(sess)
actor.add()
sess.run(tf.global_variables_initializer())
for i in range(3):
    critic.learn()
    critic.count += 1
    actor.learn()
"""
UPDATE = (
    "tf.train.GradientDescentOptimizer(0.01).minimize("
    "tf.reduce_sum(tf.matmul(x, self.w)), var_list=[self.w])"
)


@pytest.mark.parametrize(
    ("critic", "op"),
    [
        (f"self.train_op = {UPDATE}", "train_op"),
        (f"train_op = {UPDATE}\n        self.op = train_op", "op"),
    ],
)
def test_an_attribute_that_is_set_later_has_a_name_of_its_own(
    critic: str, op: str
) -> None:
    """Both objects had one name for their updates, so both ran the second one."""
    text = LATER.replace("CRITIC", critic).replace("self.op,", f"self.{op},")
    migration = migrate_text(text)
    assert Outcome.REFUSED not in {f.outcome for f in migration.findings}
    loop = migration.text[migration.text.index("for i in range(3)") :]
    steps = [line.strip() for line in loop.split("\n") if "train_step" in line]
    assert len(steps) == len(set(steps)) == 2
    counts = {
        line.strip().split(" ")[0] for line in loop.split("\n") if " += 1" in line
    }
    set_later = [s for s in migration.text.split("\n") if s.strip().endswith("= 5")]
    assert not any(s.strip().split(" ")[0] in counts for s in set_later)
