"""A template's function enters the template's scope by itself."""

from __future__ import annotations

import pytest

from migrate.normalise.names.scope_names import write_out_templates
from migrate.normalise.text import Text

PROGRAM = '''\
import tensorflow as tf


def net(x):
    """A network."""
    w = tf.get_variable("w", [])

    return w * x


shared = tf.make_template("net", net)
a = shared(1.0)
b = shared(x=2.0)
'''
WRITTEN = '''\
import tensorflow as tf


def net(x):
    """A network."""
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [])

        return w * x


a = net(1.0)
b = net(x=2.0)
'''


def _write(source: str) -> str:
    return write_out_templates(Text.read_source(source)).source


def test_the_function_enters_the_scope() -> None:
    assert _write(PROGRAM) == WRITTEN


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Another scope around a call, or another way to the same variables.
        ("b = ", 'with tf.variable_scope("other"):\n    b = '),
        ("b = ", 'c = tf.get_variable("net/w", [])\nb = '),
        ("b = ", 'other = tf.make_template("net", net)\nb = '),
        ("    return w", "    x = tf.layers.dense(x, 2)\n    return w"),
        # The template is more than its calls.
        ("b = ", "print(shared.variables)\nb = "),
        ("b = ", "keep = shared\nb = "),
        ('"net", net)', '"net", net, create_scope_now_=True)'),
        ('"net", net)', '"net", net, x=1.0)'),
        ("b = ", "if a:\n    shared = tf.identity\nb = "),
        # The function is called without the template, or is another one.
        ("b = ", "c = net(3.0)\nb = "),
        ("b = ", "def again(net):\n    return shared(net)\n\n\nb = "),
        ("def net", "@wrap\ndef net"),
        ("return w", "yield w"),
    ],
)
def test_other_templates_stay(old: str, new: str) -> None:
    changed = PROGRAM.replace(old, new)
    assert changed != PROGRAM
    assert _write(changed) == changed
