"""A run makes the updates that what it fetches needs, and no others, as in TensorFlow 1."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from reference import processes

START = """\
import tensorflow as tf
n = tf.Variable(0)
x = tf.placeholder(tf.float32, [])
y = x * 2.0
up = tf.assign_add(n, 1)
"""
RUN = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run(FETCHED, {x: i}), sess.run(n))
"""


def _refuse(graph: str, fetched: str = "out") -> list[Finding]:
    text = START + graph + RUN.replace("FETCHED", fetched)
    found = migrate_text(text).findings
    return [f for f in found if f.outcome is Outcome.REFUSED and f.code != "N100"]


NO_OPERATIONS = [
    "out = y",
    "out = tf.convert_to_tensor(y)",
    "out = [y, tf.identity(x)]",
    "y = y\n    out = x + y",
    "if True:\n        out = y",
]


@pytest.mark.parametrize("inside", NO_OPERATIONS)
def test_another_name_behind_an_update_is_no_operation(inside: str) -> None:
    found = _refuse(f"with tf.control_dependencies([up]):\n    {inside}\n")
    assert {f.code for f in found} == {"N107"}
    assert all("Another name for a tensor is no operation" in f.reason for f in found)


OPERATIONS = [
    "out = tf.identity(y)",
    "out = y + 1.0",
    "made = y + 1.0\n    out = made",
    "out = n.read_value()",
]


@pytest.mark.parametrize("inside", OPERATIONS)
def test_an_operation_behind_an_update_makes_it(inside: str) -> None:
    assert not _refuse(f"with tf.control_dependencies([up]):\n    {inside}\n")


# Functions that give on, from a block behind an update, what was made before the block.
GIVEN_ON = {
    "part": "def f():\n    with B:\n        z = tf.square(x)\n        return y, z\nout, z = f()\n",
    "local": (
        "def f():\n    a = x * 3.0\n    with B:\n        b = a\n    return b\nout = f()\n"
    ),
    "argument": (
        "def f(a, ops):\n    with tf.control_dependencies(ops):\n        return a\n"
        "out = f(y, [up])\n"
    ),
}


@pytest.mark.parametrize("graph", GIVEN_ON.values(), ids=GIVEN_ON)
def test_a_function_gives_on_what_was_made_before_a_block(graph: str) -> None:
    graph = graph.replace("with B", "with tf.control_dependencies([up])")
    assert "N107" in {f.code for f in _refuse(graph)}


def test_a_function_makes_operations_in_a_block() -> None:
    graph = "def f():\n    with tf.control_dependencies([up]):\n"
    graph += "        z = tf.square(y)\n        return z, tf.identity(y)\n"
    assert not _refuse(f"{graph}out, z = f()\n")


WAITING = "    with tf.control_dependencies([n.assign_add(1)]):\n"
# Graph code, and what the run fetches.
NOT_NEEDED = {
    "function": ("def f(x):\n    n.assign_add(1)\n    return x\nout = f(y)\n", "out"),
    "one part": (
        f"def f(x):\n{WAITING}        z = x * 3.0\n    return x * 2.0, z\n"
        "out, other = f(y)\n",
        "out",
    ),
    "a key": (
        f"def f(x):\n{WAITING}        z = x * 3.0\n"
        '    return {"x": x * 2.0, "z": z}\nout = f(y)\n',
        'out["x"]',
    ),
    "one branch": (
        "def f(x, wait):\n    first = tf.assign(n, 5)\n    if wait:\n"
        "        with tf.control_dependencies([first]):\n"
        "            return tf.identity(x)\n    return x * 2.0\nout = f(y, False)\n",
        "out",
    ),
    "cond": (
        "def f():\n    n.assign_add(1)\n    return x\n"
        "out = tf.cond(x > 100.0, lambda: y, f)\n",
        "out",
    ),
    "while": (
        "def body(i):\n    n.assign_add(1)\n    return i + 1\n"
        "out = tf.while_loop(lambda i: i < 2, body, [0])\n",
        "out",
    ),
    "lambda": ("f = lambda t: (t, n.assign_add(1))\nout = f(y)[0]\n", "out"),
    "print": ("def f(x):\n    tf.Print(x, [x])\n    return x\nout = f(y)\n", "out"),
}
IN_LOOPS = {
    "last round": ("for k in (1, 2):\n    out = n.assign_add(k)\n", "out"),
    "one key": (
        "out = {}\nfor k in (1, 2):\n    out[k] = n.assign_add(k)\n",
        "out[1]",
    ),
    "one element": ("made = [n.assign_add(k) for k in (1, 2)]\n", "made[0]"),
    "some elements": (
        "made = []\nfor k in (1, 2):\n    made.append(n.assign_add(k))\n"
        "out = tf.group(*made[1:])\n",
        "out",
    ),
}
IN_PARTS = {
    "tuple": ("out, other = x * 2.0, behind\n", "out"),
    "list": ("outs = [x * 2.0, behind]\n", "outs[0]"),
    "dict": ('outs = {"y": x * 2.0, "z": behind}\n', 'outs["y"]'),
    "object": (
        "import collections\nM = collections.namedtuple('M', 'y z')\n"
        "m = M(y=y, z=behind)\n",
        "m.y",
    ),
}
BEHIND = "with tf.control_dependencies([up]):\n    behind = x * 3.0\n"


@pytest.mark.parametrize(
    ("graph", "fetched", "reason"),
    [
        *(
            (*case, "does not need it")
            for name, case in NOT_NEEDED.items()
            if name != "one part"
        ),
        *((*case, "each round makes this") for case in IN_LOOPS.values()),
        *((BEHIND + g, f, "another part needs") for g, f in IN_PARTS.values()),
    ],
)
def test_a_run_that_does_not_need_an_update(
    graph: str, fetched: str, reason: str
) -> None:
    found = _refuse(graph, fetched)
    assert {f.code for f in found} == {"N107"}
    assert all(reason in f.reason for f in found)


def test_a_part_that_needs_no_update_is_computed_alone() -> None:
    graph, fetched = NOT_NEEDED["one part"]
    text = migrate_text(START + graph + RUN.replace("FETCHED", fetched)).text
    assert "out = y * 2.0\n    return out\n" in text
    assert "assign_add" not in text


NEEDED = {
    "waits": (f"def f(x):\n{WAITING}        return x * 2.0\nout = f(y)\n", "out"),
    "returned": (
        "def f():\n    return n.assign_add(1)\nout = tf.cond(x > 9.0, f, f)\n",
        "out",
    ),
    "computed with": (
        "def f(x):\n    new = n.assign_add(1)\n    return x * tf.to_float(new)\n"
        "out = f(y)\n",
        "out",
    ),
    "both parts": (
        f"def f(x):\n{WAITING}        z = x * 3.0\n        return z, x * 2.0\n"
        "out, other = f(y)\n",
        "out",
    ),
    "cond": ("out = tf.cond(x > 9.0, lambda: n + 0, lambda: n.assign_add(1))\n", "out"),
    "all elements": ("made = [n.assign_add(k) for k in (1, 2)]\n", "made"),
    "a group": (
        "made = []\nfor k in (1, 2):\n    made.append(n.assign_add(k))\n"
        "out = tf.group(*made)\n",
        "out",
    ),
    "a chain": (
        "out = up\nfor k in (1, 2):\n    with tf.control_dependencies([out]):\n"
        "        out = n.assign_add(k)\n",
        "out",
    ),
    "the part": (BEHIND + "out, other = behind, y\n", "out"),
}


@pytest.mark.parametrize("name", NEEDED)
def test_a_run_that_needs_an_update(name: str) -> None:
    assert not _refuse(*NEEDED[name])


def test_tf1_left_the_updates_out(tf1: str, tmp_path: pathlib.Path) -> None:
    """None of the first and last, and one or two of those in loops."""
    text = [START + BEHIND, "k = x\n"]
    cases = {**NOT_NEEDED, **IN_LOOPS, **IN_PARTS}
    run = (
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
        "    sess.run(FETCHED, {x: 1.0})\n    print(sess.run(n))\n"
    )
    for graph, fetched in cases.values():
        text.append(graph + run.replace("FETCHED", fetched))
    (tmp_path / "main.py").write_text("".join(text), "utf-8")
    out = processes.run_program([tf1, tmp_path / "main.py"], directory=tmp_path)
    given = dict(zip(cases, map(int, out.stdout.split()), strict=True))
    assert given == {
        **dict.fromkeys((*NOT_NEEDED, *IN_PARTS), 0),
        **{"last round": 2, "one key": 1, "one element": 1, "some elements": 2},
    }


@pytest.mark.parametrize("target", ["y, z = a, b", "y = a", "(y, z) = (z, y) = a, b"])
def test_a_name_of_a_tuple_is_one_part(target: str) -> None:
    """A run of `y` gave both parts of `y, z = a, b`."""
    text = (
        "import tensorflow as tf\nx = tf.placeholder(tf.float32, [])\n"
        f"a = x * 2.0\nb = x * 3.0\n{target}\n"
        "with tf.Session() as sess:\n    print(sess.run(y, {x: 1.0}))\n"
    )
    new = migrate_text(text).text
    assert "return a, b" not in new and "return y" in new


LAYERS = """\
import tensorflow as tf
layers = tf.contrib.layers
x = tf.placeholder(tf.float32, [None, 3])
def net(x, training):
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        return layers.batch_norm(x, is_training=training, updates_collections=None)
def build(x):
    return {"trained": net(x, True), "tested": net(x, False)}
def build_to_test(x, training=False):
    return {"first": net(x, training), "second": net(x, False)}
"""
RUN_LAYERS = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(FETCHED, {x: [[1.0, 2.0, 3.0]]}))
"""
BUILT = 'outs = {"trained": net(x, True), "tested": net(x, False)}\n'
BUILT_BY_A_FUNCTION = "outs = build(x)\n"
BUILT_TO_TEST = "outs = build_to_test(x)\n"


@pytest.mark.parametrize(
    ("graph", "fetched", "refused"),
    [
        # Each part is a statement of its own, so a run has one of them.
        (BUILT, 'outs["tested"]', False),
        (BUILT, 'outs["trained"]', False),
        (BUILT_BY_A_FUNCTION, 'outs["trained"]', False),
        (BUILT_TO_TEST, 'outs["second"]', False),
    ],
)
def test_a_layer_that_moves_averages_at_once(
    graph: str, fetched: str, refused: bool
) -> None:
    found = migrate_text(LAYERS + graph + RUN_LAYERS.replace("FETCHED", fetched))
    codes = [f.code for f in found.findings if f.outcome is Outcome.REFUSED]
    assert ("N107" in codes) is refused
    assert refused or not codes


def test_a_network_to_test_is_built_alone() -> None:
    run = RUN_LAYERS.replace("FETCHED", 'outs["tested"]')
    text = migrate_text(LAYERS + BUILT_BY_A_FUNCTION + run).text
    assert "tested = net(x, False)\n        return tested\n" in text
    assert "net(x, True)" not in text
