"""Checks that code which nothing calls does not stop the migration of a program."""

from __future__ import annotations

import ast
import pathlib
import textwrap

import pytest

from migrate.facts.trees.unused_code import find_unused
from migrate.file_result import FileResult
from migrate.outcomes import Status
from migrate.report.summary import summarise
from migrate.run import run_programs

TRAIN = """\
import tensorflow as tf
import helpers


def main():
    print(helpers.scale(tf.log(2.0)))


if __name__ == "__main__":
    main()
"""
HELPERS = """\
import tensorflow as tf


def scale(x):
    return tf.log(x) * 2.0


# Of an older program.
def evaluate(path):
    sess = tf.Session()  # Never closed.

    return sess.run(tf.contrib.nobody.knows(path))


class Old(object):
    def run(self):
        return tf.log(tf.Session())
"""


def run(directory: pathlib.Path, files: dict[str, str]) -> dict[str, FileResult]:
    for name, text in files.items():
        (directory / name).write_text(text)
    return {r.path.name: r for p in run_programs([directory]) for r in p}


def test_unused_code_stays_and_decides_nothing(tmp_path: pathlib.Path) -> None:
    found = run(tmp_path, {"train.py": TRAIN, "helpers.py": HELPERS})
    assert {r.status for r in found.values()} == {Status.MIGRATED}
    new = HELPERS.replace("tf.log(x)", "tf.math.log(x)")
    assert found["helpers.py"].new.decode() == new
    told = [f for f in found["helpers.py"].findings if f.unused]
    assert told and all(10 <= f.line <= 18 for f in told)
    assert all(
        f.reason.startswith("this TensorFlow 1 code is never called") for f in told
    )
    assert summarise(list(found.values())).exit_code == 0
    (tmp_path / "helpers.py").write_text(new)
    (tmp_path / "train.py").write_bytes(found["train.py"].new)
    again = run(tmp_path, {})
    assert not any(r.changed for r in again.values())
    assert summarise(list(again.values())).exit_code == 0


USES = {
    "a call": "    helpers.evaluate('x')\n",
    "a name that is given": "    print(helpers.evaluate)\n",
    "a string": "    getattr(helpers, 'evaluate')('x')\n",
    "a computed name": "    import sys\n    getattr(helpers, sys.argv[1])('x')\n",
    "a class": "    helpers.Old().run()\n",
}


@pytest.mark.parametrize("use", USES)
def test_used_code_decides(use: str, tmp_path: pathlib.Path) -> None:
    train = TRAIN.replace("def main():\n", f"def main():\n{USES[use]}")
    found = run(tmp_path, {"train.py": train, "helpers.py": HELPERS})
    assert {r.status for r in found.values()} == {Status.REFUSED}


def test_of_a_library_all_is_used(tmp_path: pathlib.Path) -> None:
    found = run(tmp_path, {"helpers.py": HELPERS, "more.py": "import helpers\n"})
    assert found["helpers.py"].status is Status.REFUSED
    # Where one file cannot be read, it may call anything.
    found = run(tmp_path, {"train.py": TRAIN, "old.py": "import helpers\nprint 'x'\n"})
    assert found["helpers.py"].status is Status.REFUSED


def test_a_script_of_its_own(tmp_path: pathlib.Path) -> None:
    text = HELPERS + "\n\nif __name__ == '__main__':\n    print(scale(2.0))\n"
    found = run(tmp_path, {"helpers.py": text})
    assert found["helpers.py"].status is Status.MIGRATED


def _names(text: str) -> set[str]:
    found = find_unused(
        {"a": ast.parse(text + "\nif __name__ == '__main__':\n    f()\n")}
    )
    return {one.header.split("(")[0].strip() for one in found.get("a", ())}


@pytest.mark.parametrize(
    ("text", "unused"),
    [
        ("def f(): pass", set()),
        ("def g(): pass", {"def g"}),
        ("def f(): return h()\ndef h(): return g()\ndef g(): pass", set()),
        ("def g(): return h()\ndef h(): return g()", {"def g", "def h"}),
        ("@register\ndef g(): pass", set()),
        ("class A(object):\n  def f(self): pass\n  def g(self): pass\nA()", {"def g"}),
        ("class A(Base):\n  def g(self): pass\nA()", set()),
        ("class A:\n  def __call__(self): pass\nA()", set()),
        ("class A:\n  def g(self): pass", {"class A"}),
        ("def g(): pass\nx = [globals()]", set()),
        ("def g(): pass\n__all__ = ['g']", set()),
    ],
)
def test_find_unused(text: str, unused: set[str]) -> None:
    assert _names(text) == unused


@pytest.mark.parametrize(
    ("start", "unused"),
    [
        (
            "import tensorflow as tf\n\nif __name__ == '__main__':\n    tf.app.run()\n",
            1,
        ),
        ("import fire\n\nif __name__ == '__main__':\n    fire.Fire()\n", 0),
        ("import unittest\n\nif __name__ == '__main__':\n    unittest.main()\n", 0),
    ],
)
def test_what_is_called_without_being_named(start: str, unused: int) -> None:
    """`tf.app.run()` calls main; others call whatever they find."""
    text = "def main(_):\n    step()\n\n\ndef step():\n    pass\n\n\ndef old():\n    pass\n"
    found = find_unused({"train.py": ast.parse(text + "\n\n" + start)})
    told = [one.header for one in found.get("train.py", [])]
    assert told == ["def old(*args, **kwargs):"] * unused


def test_a_main_that_app_run_calls_is_refused_for(tmp_path: pathlib.Path) -> None:
    text = TRAIN.replace("    main()", "    tf.app.run()").replace(
        "tf.log(2.0)", "tf.contrib.nobody.knows(2.0)"
    )
    found = run(tmp_path, {"train.py": text, "helpers.py": "def scale(x):\n    pass\n"})
    assert found["train.py"].status is Status.REFUSED


ALIKE = """\
import tensorflow as tf


class Older(object):
    def build(self):
        with tf.name_scope("Older"):
            return summaries()


class Newer(object):
    def build(self):
        return 2.0


def summaries():
    return 1.0


if __name__ == "__main__":
    print({})
"""


@pytest.mark.parametrize(
    ("start", "unused"),
    [
        (
            "Newer().build()",
            {"class Older(object):", "def summaries(*args, **kwargs):"},
        ),
        ("Newer().build(), Older", set()),
    ],
)
def test_methods_of_one_name_are_used_with_their_class(
    start: str, unused: set[str]
) -> None:
    found = find_unused({"a.py": ast.parse(ALIKE.format(start))}).get("a.py", [])
    assert {u.header for u in found} == unused


def test_a_refused_program_is_refused_for_what_is_called(
    tmp_path: pathlib.Path,
) -> None:
    train = TRAIN.replace("tf.log(2.0)", "tf.contrib.no.such(2.0)")
    text = train.replace("import helpers\n", "").replace("helpers.scale(", "(")
    older = HELPERS.partition("# Of an older program.")[2]
    text = text.replace("\ndef main", f"{older}\n\ndef main")
    result = run(tmp_path, {"train.py": text})["train.py"]
    assert result.status is Status.REFUSED
    blocking = [f.symbol for f in result.findings if f.blocks and f.code != "N100"]
    assert blocking == ["tf.contrib.no.such"]
    told = [f for f in result.findings if f.unused]
    assert told and all(
        f.reason.startswith("this TensorFlow 1 code is never called") for f in told
    )


MODEL = """\
import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self, n):
        self.x = tf.placeholder(tf.float32, [None, n])
        self.w = tf.Variable(tf.zeros([n, 1]))
        self.cost = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) - 1.0))
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(self.cost)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def fit(self, x):
        cost, _ = self.sess.run((self.cost, self.train_op), feed_dict={self.x: x})
        return cost

    def draw(self):
        x = np.random.normal(size=[1, 2])
        return self.sess.run(self.cost, feed_dict={self.x: x})


"""
USE = "model = Model(2)\nfor _ in range(3):\n    print(model.fit(np.ones([4, 2])))\n"
MAIN_BLOCK = 'if __name__ == "__main__":\n'


@pytest.mark.parametrize("main_block", [False, True])
def test_an_uncalled_method_goes_with_its_class(
    tmp_path: pathlib.Path, main_block: bool
) -> None:
    """What the method draws is not drawn in TensorFlow 1 either (G007)."""
    use = MAIN_BLOCK + textwrap.indent(USE, "    ") if main_block else USE
    found = run(tmp_path, {"train.py": MODEL + use})["train.py"]
    assert found.status is Status.MIGRATED
    assert "class Model" not in found.new.decode()
    assert "np.random" not in found.new.decode()
    assert [f.reason for f in found.findings if "nothing calls this method" in f.reason]


def test_a_called_method_stays_the_reason(tmp_path: pathlib.Path) -> None:
    found = run(tmp_path, {"train.py": MODEL + USE + "setattr(model, 'draw', 1)\n"})
    assert found["train.py"].status is not Status.MIGRATED


@pytest.mark.parametrize(
    ("end", "script"),
    [
        ("model = Model(2)\n", True),
        ("def begin():\n    return Model(2)\n\n\nbegin()\n", True),
        ("def begin():\n    return Model(2)\n\n\nready = begin\n", False),
        ("names = dict(model=Model)\n", False),
    ],
)
def test_a_script_may_open_its_session_in_a_class(end: str, script: bool) -> None:
    found = find_unused({"model.py": ast.parse(MODEL + end)})
    lines = {MODEL[: MODEL.index(name)].count("\n") + 1 for name in ("def draw",)}
    assert (lines <= {u.first for u in found.get("model.py", ())}) is script
