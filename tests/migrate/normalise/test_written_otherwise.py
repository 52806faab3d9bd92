"""Programs migrate however their headers are laid out, and whatever a helper leaves.

A property over programs that migrate: the same program, written otherwise, has the same
findings, and never one that is a fault of the tool's own (G...).
"""

from __future__ import annotations

import ast
import io
import itertools
import pathlib
import tokenize

import pytest

from migrate import pipeline
from migrate.normalise.text import Text, close_headers
from migrate.options import Options

PROGRAMS = pathlib.Path(__file__).parents[2] / "programs" / "alone"
# Each was an internal error, or was refused, with its headers over several lines.
NAMES = (
    *("a_graph_per_rate", "built_in_block", "default_session", "feeds_by_need"),
    *("feeds_of_a_base", "feeds_zipped", "lazy_by_hand", "lazy_by_mode"),
    *("lazy_scopes", "metrics_of_model", "model_keeps_session"),
)


def findings(text: str) -> set[tuple[str, str]]:
    """The codes of a text's refusals and failures."""
    result = pipeline.migrate_bytes(pathlib.Path("x.py"), text.encode(), Options())
    return {(f.code, f.outcome.value) for f in result.findings if f.blocks}


def spread(text: str, *, keywords: tuple[str, ...]) -> str:
    """The text with what closes a header on a line of its own."""
    lines = text.split("\n")
    cuts: list[tuple[int, int]] = []
    depth, header, begins = 0, False, True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind in ("NEWLINE", "INDENT", "DEDENT", "NL", "COMMENT"):
            begins = begins or kind == "NEWLINE"
            continue
        if begins:
            depth, header, begins = 0, token.string in keywords, False
        if token.string in ("(", "[", "{"):
            depth += 1
        elif token.string in (")", "]", "}"):
            depth -= 1
            if header and not depth and token.string == ")":
                cuts.append(token.start)
        elif token.string == ":" and not depth:
            header = False
    for line, column in reversed(cuts):
        old = lines[line - 1]
        lines[line - 1 : line] = [old[:column], old[column:]]
    return "\n".join(lines)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("keywords", [("def",), ("with", "if", "for")])
def test_headers_over_several_lines(name: str, keywords: tuple[str, ...]) -> None:
    text = (PROGRAMS / f"{name}.py").read_text("utf-8")
    other = spread(text, keywords=keywords)
    ast.parse(other)
    if "def" in keywords:
        assert other != text
    assert findings(other) == findings(text) == set()


HEADERS = {
    "def f(a,\n      b=3\n):\n    pass\n": "def f(a,\n      b=3):\n    pass\n",
    "def f(\n    a,  # the first\n) -> int:  \n    pass\n": (
        "def f(\n    a,) -> int:  # the first\n    pass\n"
    ),
    "with f(\n    a\n) as b, g(\n    c\n):\n    x = (\n        1\n    )\n": (
        "with f(\n    a) as b, g(\n    c):\n    x = (\n        1\n    )\n"
    ),
    "def f(a='''\n)'''):\n    pass\n": "def f(a='''\n)'''):\n    pass\n",
    "def f(a\n):  # why\n    pass\n": "def f(a\n):  # why\n    pass\n",
}


@pytest.mark.parametrize("old", HEADERS)
def test_close_headers(old: str) -> None:
    new = close_headers(Text.read_source(old))
    assert new.source == HEADERS[old]
    assert len(new.origins) == len(new.lines)
    assert ast.dump(ast.parse(new.source)) == ast.dump(ast.parse(old))


# What a helper may consist of, and what its call may stand in.
BODIES = ("pass", '"""Nothing."""', '"""Doc."""\n    pass', "return", "# a\n    pass")
SUITES = (
    "if A:\n    {}\n",
    "if A:\n    print(1)\nelse:\n    {}\n",
    "if A:\n    print(1)\nelif A > 2:\n    {}\n",
    "for i in range(2):\n    {}\n",
    "try:\n    {}\nfinally:\n    print(2)\n",
    "with tf.name_scope('a'):\n    {}\n",
)
METHOD = """\
import tensorflow as tf
import sys
A = len(sys.argv)
class Model(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
{}
        self.y = tf.layers.dense(self.x, 3)
    def helper(self):
        {}
model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(model.y, {{model.x: [[1., 2., 3.]]}}))
"""


@pytest.mark.parametrize(("body", "suite"), list(itertools.product(BODIES, SUITES)))
def test_a_suite_is_not_left_empty(body: str, suite: str) -> None:
    call = "\n".join(
        " " * 8 + line for line in suite.format("self.helper()").split("\n")
    )
    text = METHOD.format(call.rstrip(), body.replace("\n", "\n    "))
    assert findings(text) == set(), text


DROPOUT = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
flag = tf.placeholder(tf.bool)
rate = tf.placeholder(tf.float32)
y = {}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1., 2., 3.]], flag: True, rate: 0.5}}))
"""


@pytest.mark.parametrize("arguments", ["0.7, flag", "rate", "rate=rate, training=flag"])
def test_dropout_by_a_tensor_of_the_step(arguments: str) -> None:
    """A layer is made before any step: what a step knows is no argument of it."""
    text = DROPOUT.format(f"tf.layers.dropout(x, {arguments})")
    assert findings(text) == set()
    result = pipeline.migrate_bytes(pathlib.Path("x.py"), text.encode(), Options())
    assert b"training_session.dropout(x, rate=" in result.new
    # Of a layer with weights it is refused, and says which argument.
    text = DROPOUT.format("tf.layers.dense(x, 3, trainable=flag)")
    assert findings(text) == {("N151", "refused"), ("N100", "refused")}


COORDINATOR = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
y = tf.layers.dense(x, 3)
{}with tf.Session() as sess:
{}    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1., 2., 3.]]}}))
    coord.request_stop()
    coord.join([])
"""


@pytest.mark.parametrize("inside", [False, True])
def test_a_coordinator_is_made_where_it_is_used(inside: bool) -> None:
    made = "coord = tf.train.Coordinator()\n"
    text = COORDINATOR.format("" if inside else made, "    " + made if inside else "")
    result = pipeline.migrate_bytes(pathlib.Path("x.py"), text.encode(), Options())
    assert not any(f.blocks for f in result.findings)
    assert result.new.count(made.encode()) == 1
    assert result.new.index(made.encode()) < result.new.index(b"coord.request_stop()")


LAYER = """\
import tensorflow as tf


def layer(x, units, name):
    with tf.name_scope(name):
        with tf.name_scope("weights"):
            w = tf.Variable(tf.truncated_normal([3, units]))
            tf.summary.histogram(name + "/weights", w)
        return tf.matmul(x, w)


x = tf.placeholder(tf.float32, [None, 3])
y = layer(layer(x, 3, "one"), 2, "two")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1., 2., 3.]]}))
"""


def test_a_name_read_in_a_header_and_below_it() -> None:
    """TensorFlow's tutorial of summaries: the scope's name is in the summaries' names."""
    assert findings(LAYER) == set()
    result = pipeline.migrate_bytes(pathlib.Path("x.py"), LAYER.encode(), Options())
    assert b'layer(units=3, name="one")' in result.new
