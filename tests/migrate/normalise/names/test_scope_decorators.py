"""A decorator that only opens a scope stands in its functions as that scope."""

from __future__ import annotations

import pytest

from migrate.normalise.names.scope_names import write_out_decorators
from migrate.normalise.text import Text

DECORATOR = """\
def scoped(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with tf.variable_scope(function.__name__):
            return function(*args, **kwargs)
    return wrapper


"""
PROGRAM = f'''\
import functools
import tensorflow as tf


{DECORATOR}@scoped
def net(x):
    """A network."""
    # The weights.
    w = tf.get_variable("w", [])
    return w * x


net(1.0)
'''
WRITTEN = '''\
import functools
import tensorflow as tf


def net(x):
    """A network."""
    with tf.variable_scope("net"):
        # The weights.
        w = tf.get_variable("w", [])
        return w * x


net(1.0)
'''


def _write(source: str) -> str:
    return write_out_decorators(Text.read_source(source)).source


def test_the_function_enters_the_scope() -> None:
    assert _write(PROGRAM) == WRITTEN


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ("(function.__name__)", '("a")', '("a")'),
        (
            "(function.__name__)",
            "(function.__name__, reuse=tf.AUTO_REUSE)",
            '("net", reuse=tf.AUTO_REUSE)',
        ),
        ("    @functools.wraps(function)\n", "", '("net")'),
    ],
)
def test_other_scopes(old: str, new: str, written: str) -> None:
    assert _write(PROGRAM.replace(old, new)) == WRITTEN.replace('("net")', written)


def test_a_decorator_stays_for_what_else_names_it() -> None:
    text = PROGRAM + "other = scoped(make())\n"
    written = _write(text)
    assert "@scoped" not in written and "def scoped(function)" in written


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        with tf", '        print("call")\n        with tf'),
        ("    return wrapper", '    print("made")\n    return wrapper'),
        ("return function(", "return 2.0 * function("),
        ("(*args, **kwargs)\n", "(*args[1:], **kwargs)\n"),
        ("(function.__name__)", "(function.__name__, reuse=REUSE)"),
        ("(function.__name__)", "(NAME)"),
        ("@functools.wraps(function)", "@other"),
        ("@scoped\n", "@other\n@scoped\n"),
        ("return w * x", "yield w * x"),
    ],
)
def test_another_decorator_stays(old: str, new: str) -> None:
    text = PROGRAM.replace(old, new)
    assert text != PROGRAM
    assert _write(text) == text
