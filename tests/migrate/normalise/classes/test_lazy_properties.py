"""Properties that build their part of the graph once: what is read, and what is left."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise.calls import early_ends
from migrate.normalise.classes import lazy_properties, plain_properties
from migrate.normalise.text import Text

LAZY = """
import tensorflow as tf


def lazy(function):
    attribute = "_cache_" + function.__name__

    @property
    def decorator(self):
        if not hasattr(self, attribute):
            with tf.variable_scope(function.__name__):
                setattr(self, attribute, function(self))
        return getattr(self, attribute)

    return decorator


class Model:
    def __init__(self, x):
        self.x = x
        # FIRST

    @lazy
    def out(self):
        return self.x * tf.get_variable("w", [])

    @lazy
    def loss(self):
        return tf.reduce_mean(self.out)

    @lazy
    def optimize(self):
        return tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)


x = tf.placeholder(tf.float32, [None])
model = Model(x)
# THEN
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        # LOOP
        sess.run(model.optimize, {x: [1.0, 2.0]})
"""


def _built(**marks: str) -> str:
    text = LAZY
    for mark, code in marks.items():
        text = text.replace(f"# {mark.upper()}", code)
    return lazy_properties.build_properties(Text.read_source(text)).source


def test_each_is_built_within_the_scope_that_reads_it_first() -> None:
    built = _built()
    assert "def lazy" not in built and "@" not in built
    outer = "with tf.variable_scope('optimize'):\n    model.build_optimize()\n"
    assert f"{outer}with tf.Session()" in built
    inner = "with tf.variable_scope('loss'):\n            self.build_loss()\n"
    assert f"def build_optimize(self):\n        {inner}" in built


def test_what_the_constructor_reads_is_built_there() -> None:
    built = _built(first="self.out; self.loss")  # Two on a line are left alone.
    assert "@lazy" in built
    built = _built(first="self.out")
    assert "with tf.variable_scope('out'):\n            self.build_out()" in built
    assert built.count("build_out()") == 1


@pytest.mark.parametrize(
    "marks",
    [
        {"first": "if x is not None:\n            self.out"},
        {"then": "other = Model(x)"},
        {"then": "models = [Model]"},
    ],
)
def test_what_is_not_plain_is_left(marks: dict[str, str]) -> None:
    assert "@lazy" in _built(**marks)


def test_variables_that_only_a_branch_asks_for_are_not_made() -> None:
    guarded = LAZY.replace(
        "        sess.run(model.optimize", "        if step: sess.run(model.optimize"
    )
    assert "@lazy" in lazy_properties.build_properties(Text.read_source(guarded)).source


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if not hasattr", "if hasattr"),
        ('"_cache_" + function.__name__', '"_cache"'),
        ("setattr(self, attribute, function(self))", "setattr(self, attribute, 1)"),
        ("return getattr(self, attribute)", "return function(self)"),
        ("tf.variable_scope(function.__name__)", "tf.variable_scope(self.name)"),
        ("    @property\n", ""),
    ],
)
def test_another_decorator_is_not_taken_for_it(old: str, new: str) -> None:
    assert LAZY.count(old) == 1
    text = LAZY.replace(old, new)
    assert lazy_properties.build_properties(Text.read_source(text)).source == text


def test_the_program_is_taken() -> None:
    migration = migrate_text(LAZY)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "with tf.name_scope('optimize'):" in migration.text


def test_a_function_that_gives_something_may_end_early() -> None:
    text = "import tensorflow as tf\n\n\ndef f(x):\n    if x:\n        return\n    return tf.ones([])\n"
    assert early_ends.move_rest_into_else(Text.read_source(text)).source == text


def test_a_constructor_ends_at_its_end() -> None:
    text = (
        "import tensorflow as tf\n\n\nclass A:\n    def __init__(self, x):\n"
        "        if x:\n            self.a = 1\n            return\n"
        "        # Else:\n        self.b = tf.ones([])\n"
    )
    new = early_ends.move_rest_into_else(Text.read_source(text)).source
    assert new.endswith(
        "        if x:\n            self.a = 1\n        else:\n"
        "            # Else:\n            self.b = tf.ones([])\n"
    )


def test_a_property_that_others_look_behind_stays() -> None:
    text = (
        "class A:\n    def __init__(self):\n        self._x = 1\n\n"
        "    @property\n    def x(self):\n        return self._x\n"
    )
    new = plain_properties.replace_by_attributes(Text.read_source(text)).source
    assert "self.x = 1" in new and "@property" not in new
    behind = f"{text}\n\nprint(A()._x)\n"
    assert (
        plain_properties.replace_by_attributes(Text.read_source(behind)).source
        == behind
    )


BY_HAND = """
import tensorflow as tf


class Model:
    def __init__(self, x):
        self.x = x
        self._out = None
        self.out

    @property
    def out(self):
        if self._out is None:
            w = tf.get_variable("w", [])
            self._out = self.x * w
        return self._out


x = tf.placeholder(tf.float32, [])
model = Model(x)
"""


def test_what_is_kept_by_hand_is_built_once() -> None:
    new = lazy_properties.build_properties(Text.read_source(BY_HAND)).source
    assert "def build_out(self):" in new
    assert "self.out = self.x * w" in new
    assert "_out = None" not in new
    assert "_built_once" not in new
    unset = BY_HAND.replace("        self._out = None\n", "")
    unset = unset.replace("self._out is None", 'not hasattr(self, "_out")')
    assert lazy_properties.build_properties(Text.read_source(unset)).source == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # TensorFlow 1 stops where a tensor is asked whether it is true.
        ("self._out is None", "not self._out"),
        ("model = Model(x)", "model = Model(x)\nprint(model._out)"),
        ("self._out = None", "self._out = 1.0"),
        ("        self._out = None\n", ""),
        ("        return self._out", "        return self._out * 2"),
        (
            "            w =",
            "            if self.x is None:\n                return None\n            w =",
        ),
        (
            "self._out = self.x * w",
            "self._out = self.x * w\n            print(self._out)",
        ),
        # Two objects.
        ("model = Model(x)", "model = [Model(x), Model(x)]"),
    ],
)
def test_what_is_kept_otherwise_is_left(old: str, new: str) -> None:
    assert old in BY_HAND
    text = Text.read_source(BY_HAND.replace(old, new))
    assert lazy_properties.build_properties(text).source == text.source


OPENER = """
import tensorflow as tf


class Model:
    def __init__(self, x):
        self.x = x
        self.out = x * tf.get_variable("w", [])
        self.calls = 0
        self._sess = None

    @property
    def sess(self):
        if self._sess is None:
            # It is opened once.
            self._sess = tf.Session()
            self._sess.run(tf.global_variables_initializer())
        return self._sess

    def compute(self, value):
        return self.sess.run(self.out, {self.x: value})


model = Model(tf.placeholder(tf.float32, []))
for step in range(3):
    print(model.compute(step))
"""
GETTER = OPENER.replace("    @property\n    def sess", "    def get_session").replace(
    "self.sess.run(self.out", "self.get_session().run(self.out"
)
ENSURED = GETTER.replace("        return self._sess\n", "").replace(
    "        return self.get_session().run(self.out",
    "        self.get_session()\n        return self._sess.run(self.out",
)


@pytest.mark.parametrize(
    ("text", "name"), [(OPENER, "sess"), (GETTER, "_sess"), (ENSURED, "_sess")]
)
def test_a_session_that_is_opened_when_it_is_needed(text: str, name: str) -> None:
    new = lazy_properties.build_properties(Text.read_source(text)).source
    assert (
        f"    def build_{name}(self):\n        # It is opened once.\n"
        f"        self.{name} = tf.Session()\n"
        f"        self.{name}.run(tf.global_variables_initializer())\n"
    ) in new
    assert f"model.build_{name}()\nfor step in range(3):\n" in new
    assert f"        return self.{name}.run(self.out" in new
    assert "None" not in new and "get_session" not in new and "_built_once" not in new
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]


_LAST = "            self._sess.run(tf.global_variables_initializer())\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Before the loop it would be done too early.
        (_LAST, f"{_LAST}            print('opened')\n"),
        (_LAST, f"{_LAST}            self.opened_at = self.calls\n"),
        # Whether it is open is asked, or it is opened again.
        (
            "    def compute",
            "    def ask(self):\n        return self._sess is None\n\n    def compute",
        ),
        (
            "    def compute",
            "    def end(self):\n        self._sess = None\n\n    def compute",
        ),
        ("for step", "print(getattr(model, '_sess'))\nfor step"),
        # Two objects; an object that nobody keeps.
        ("for step", "other = Model(model.x)\nfor step"),
        ("self._sess = None", "self._sess = given"),
        ("return self._sess\n", "return self._sess.graph\n"),
    ],
)
def test_a_session_that_is_opened_otherwise_is_left(old: str, new: str) -> None:
    assert OPENER.count(old) == 1
    text = OPENER.replace(old, new).replace(
        "        return self.sess.run",
        "        self.calls += 1\n        return self.sess.run",
    )
    left = lazy_properties.build_properties(Text.read_source(text))
    assert left.source == text


def test_a_property_that_does_more_is_not_built_early() -> None:
    read = (
        BY_HAND.replace("        self.out\n", "")
        + "for step in range(3):\n    print(step)\n"
    )
    new = lazy_properties.build_properties(Text.read_source(f"{read}    model.out\n"))
    assert "model.build_out()\nfor step" in new.source
    text = read.replace(
        "            w =", "            print('built')\n            w ="
    )
    for loop, taken in (("    model.out\n", False), ("model.out\n", True)):
        left = lazy_properties.build_properties(Text.read_source(text + loop))
        assert (left.source != text + loop) is taken
