"""A program whose objects train in threads is told of the threads."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding
from migrate.options import Options

OBJECTS = """\
import threading

import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, name, shared=None):
        with tf.variable_scope(name):
            self.w = tf.get_variable("w", [4, 1])
            if shared is not None:
                self.x = tf.placeholder(tf.float32, [None, 4])
                self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w)))
                self.grads = tf.gradients(self.loss, [self.w])
                self.pull = self.w.assign(shared.w)
                self.push = optimizer.apply_gradients(zip(self.grads, [shared.w]))


class Worker(object):
    def __init__(self, name, shared):
        self.net = Net(name, shared)

    def work(self):
        for _ in range(3):
            session.run(self.net.push, {self.net.x: np.ones([2, 4])})
            session.run(self.net.pull)


session = tf.Session()
optimizer = tf.train.GradientDescentOptimizer(0.1)
shared = Net("shared")
workers = [Worker("w%d" % i, shared) for i in range(2)]
session.run(tf.global_variables_initializer())
threads = []
for worker in workers:
    THREAD
    threads[-1].start()
for thread in threads:
    thread.join()
"""
MADE = (
    "threads.append(threading.Thread(target=worker.work))",
    "threads.append(threading.Thread(target=lambda: worker.work()))",
    "job = lambda: worker.work()\n    threads.append(threading.Thread(target=job))",
)
FUNCTION = """\
import threading

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
w = tf.get_variable("w", [4, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def work(session):
    for _ in range(3):
        session.run(train_op, {x: np.ones([2, 4])})


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    thread = threading.Thread(target=work, args=(sess,))
    thread.start()
    thread.join()
"""


def refused(text: str, options: Options | None = None) -> list[Finding]:
    found = migrate_text(text, options).findings
    return [f for f in found if f.blocks and f.code != "N100"]


@pytest.mark.parametrize("made", MADE)
def test_threads_of_objects_are_the_reason(made: str) -> None:
    (found,) = refused(OBJECTS.replace("THREAD", made))
    assert found.code == "N101"
    assert found.reason.startswith("`worker.work` runs steps in a thread of its own")
    assert "--fallback compat" in found.recipe


def test_what_the_classes_ask_of_the_graph_is_no_reason_beside_them() -> None:
    listed = "tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=name)"
    text = OBJECTS.replace("THREAD", MADE[0]).replace("[self.w])", f"{listed})")
    assert listed in text
    (found,) = refused(text)
    assert found.code == "N101"
    # The same without threads is refused for the classes.
    alone = text.replace("threading.Thread(target=worker.work)", "worker.work()")
    assert "N101" not in {f.code for f in refused(alone)}


def test_a_thread_that_runs_no_session_is_no_reason() -> None:
    text = OBJECTS.replace("THREAD", MADE[0])
    text = text.replace("session.run(self.net.p", "print(self.net.p")
    assert "N101" not in {f.code for f in refused(text)}


def test_who_gives_the_session_to_a_thread_is_told_how() -> None:
    found = {f.code: f for f in refused(FUNCTION)}
    assert "target=lambda: work(sess)" in found["S185"].recipe
    followed = FUNCTION.replace(
        "target=work, args=(sess,)", "target=lambda: work(sess)"
    )
    assert not refused(followed)
