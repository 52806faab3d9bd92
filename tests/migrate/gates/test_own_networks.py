"""A network that calls itself runs Keras's method, and not a generator's of the program."""

from __future__ import annotations

import ast

from migrate.compiler import migrate_text
from migrate.facts.scopes import build_scopes
from migrate.findings import Outcome
from migrate.gates.callees import Callees
from migrate.source.nodes import parse_source

PROGRAM = """\
import random
import tensorflow as tf

class Rows:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def __call__(self):
        for _ in range(20):
            a = self.rng.random()
            yield [a], [3 * a + 1]

rows = Rows(1)

def model_fn(features, labels, mode):
    y = tf.layers.dense(features, 1, kernel_initializer=tf.zeros_initializer())
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode=mode, predictions=y)
    loss = tf.losses.mean_squared_error(labels, y)
    train = tf.train.AdamOptimizer(0.2).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode=mode, loss=loss, train_op=train)

def input_fn():
    data = tf.data.Dataset.from_generator(rows, (tf.float32, tf.float32), ([1], [1]))
    return data.repeat().batch(5)

estimator = tf.estimator.Estimator(model_fn, "there")
estimator.train(input_fn, steps=6)
"""
CLASSES = """\
import tf_keras

class Rows:
    def __call__(self, x):
        return x

class Network(tf_keras.Model):
    def run(self, x):
        return self(x)

class Reader(Rows):
    def run(self, x):
        return self(x)

class Caller(tf_keras.Model):
    def __call__(self, x):
        return x

    def run(self, x):
        return self(x)
"""


def test_such_an_estimator_becomes_a_network() -> None:
    done = migrate_text(PROGRAM)
    assert not [f for f in done.findings if f.outcome is Outcome.REFUSED]
    assert "estimator_inputs.when_asked(tf.data.Dataset.from_generator(" in done.text
    assert "model.fit(" in done.text


def test_only_keras_answers_for_the_call() -> None:
    scopes = build_scopes(parse_source(CLASSES))
    callees = Callees(scopes)
    called = [
        node.func
        for node in scopes.walk()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    assert [callees.is_own_network(name) for name in called] == [True, False, False]
