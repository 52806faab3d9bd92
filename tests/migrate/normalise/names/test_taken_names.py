"""Variables whose names operations had before them, as TensorFlow 1.15.5 numbered them."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise.names import graph_names
from migrate.normalise.text import Text
from reference import runner

HEAD = "import tensorflow as tf\n"
Q = 'q = tf.constant(1.0, name="q")\n'
W = 'w = tf.Variable(1.0, name="q")\n'
LATER = "def later():\n    " + Q
SCOPED = 'with tf.name_scope("s"):\n'
# A graph, and its variables' names in TF1, where they are written out.
NUMBERED = {
    "an operation": (Q + W, ["q_1"]),
    "two": (Q + Q + W, ["q_2"]),
    "between two variables": (W + Q + W, ["q", "q_2"]),
    "another case of letters": (Q.replace('"q"', '"Q"') + W, ["q_1"]),
    "a scope": (SCOPED + "    pass\n" + W.replace('"q"', '"s"'), ["s_1"]),
    "a placeholder": ('p = tf.placeholder(tf.float32, [], "q")\n' + W, ["q_1"]),
    "in a scope": (SCOPED + "    " + Q + "    " + W, ["s/q_1"]),
    "beside a scope": (Q + SCOPED + "    " + W, ["s/q"]),
    "on a device": (Q + 'with tf.device("/cpu:0"):\n    ' + W, ["q_1"]),
    "by get_variable": (Q + 'w = tf.get_variable("q", [])\n', ["q_1"]),
    "in a graph of its own": (
        "with tf.Graph().as_default() as g:\n    "
        + Q
        + '    w = tf.get_variable("q", [])\n    names = tf.global_variables()\n',
        ["q_1"],
    ),
    "in main": (
        "def main():\n    " + Q + "    " + W + "main()\n",
        ["q_1"],
    ),
    "by position": ('q = tf.multiply(1.0, 1.0, "q")\n' + W, ["q_1"]),
    "of what it begins as": (
        'w = tf.Variable(tf.constant(1.0, name="q"), name="q")\n',
        ["q_1"],
    ),
    "after it": (W + Q, ["q"]),
    "variables of two spellings": (W + W.replace('"q"', '"Q"'), ["q", "Q_1"]),
    "two spellings by get_variable": (
        'v = tf.get_variable("q", [])\nw = tf.get_variable("Q", [])\n',
        ["q", "Q_1"],
    ),
    "no operation": (
        'tf.app.flags.DEFINE_float(name="q", default=1.0, help="")\n' + W,
        ["q"],
    ),
    "variables alone": (W + W, ["q", "q"]),  # TensorFlow 2 numbers these.
}
# What TensorFlow 2 numbers, and a flag, which is defined but once.
NOT_RUN = ("variables alone", "no operation")
TOLD = {
    "in a loop": "for i in range(2):\n    " + Q + W,
    "under a condition": "if 1:\n    " + Q + W,
    "in a function": LATER + "later()\n" + W,
    "what may take none": 'q = tf.cast(1.0, tf.float32, name="q")\n' + W,
    "a number that is taken": Q + 'z = tf.identity(q, name="q_1")\n' + W,
    "a graph begun anew": Q + "tf.reset_default_graph()\n" + W,
    "in a variable scope": 'with tf.variable_scope("s"):\n    '
    + Q
    + '    w = tf.get_variable("q", [])\n',
}

H = 'names = tf.summary.histogram("q", w)\n'
BLOCK = 'with tf.name_scope("s"):\n'
# A graph with a summary `names`, and its tag, where that is written out.
TAGS = {
    "of a variable's name": (W + H, "q_1"),
    "by get_variable": ('w = tf.get_variable("q", [])\n' + H, "q_1"),
    "of another spelling": (W.replace('"q"', '"Q"') + H, "q_1"),
    "the second": (W + H + H.replace("histogram", "scalar"), "q_2"),
    "in its scope": (BLOCK + "    " + W + "    " + H, "s/q_1"),
    "of an operation": ("w = " + Q + H, "q"),  # The step function numbers it.
    "of another name": (W + H.replace('"q"', '"p"'), "p"),
    "in a scope that is opened again": (BLOCK + "    " + W + BLOCK + "    " + H, "q"),
    "of a family": (W + H.replace("w)", 'w, family="f")'), "q"),
}
TOLD_OF_TAGS = {
    "in a function": "def f(w):\n    return " + H[8:] + W + "f(w)\n",
    "of each variable": W + "for v in tf.trainable_variables():\n"
    "    tf.summary.histogram(v.op.name, v)\n",
    "beside gradients": W
    + "for g, v in pairs:\n    tf.summary.histogram(v.op.name, v)\n",
}
NOT_TOLD_OF_TAGS = {
    "the output's name": W + "for v in tf.trainable_variables():\n"
    "    tf.summary.histogram(v.name, v)\n",
    "of a gradient": W + "for g, v in pairs:\n"
    '    tf.summary.histogram(v.op.name + "/g", g)\n',
    "of tensors": W + "for a in outputs:\n    tf.summary.histogram(a.op.name, a)\n",
}

IN_SCOPE = SCOPED + '    v = tf.Variable(1.0, name="w")\n'
MADE = (
    "def made(s):\n    with tf.name_scope(s):\n        v = tf.Variable(1.0, name='w')\n"
)
FUNCTION = "def made():\n    " + IN_SCOPE.replace("\n    ", "\n        ")
# A graph with scopes, its variables' names in TF1, and whether these are told; where they are
# not, they are written out, or those of TensorFlow 2.
OF_SCOPES = {
    "opened again": (IN_SCOPE * 3, ["s/w", "s_1/w", "s_2/w"], False),
    "after an operation": (Q.replace('"q"', '"s"') + IN_SCOPE, ["s_1/w"], False),
    "a variable scope": (
        (IN_SCOPE * 2).replace("name_scope", "variable_scope"),
        ["s/w", "s_1/w"],
        True,
    ),
    "in a loop": (
        "for i in range(2):\n    " + IN_SCOPE.replace("\n    ", "\n        "),
        ["s/w", "s_1/w"],
        True,
    ),
    "in a function": (FUNCTION + "made()\nmade()\n", ["s/w", "s_1/w"], True),
    "of a call": (
        MADE + "made('s')\nmade('t')\nmade('s')\n",
        ["s/w", "t/w", "s_1/w"],
        True,
    ),
    "of other names": (MADE + "made('s')\nmade('t')\n", ["s/w", "t/w"], False),
    "in scopes of the calls": (
        FUNCTION
        + "with tf.name_scope('a'):\n    made()\nwith tf.name_scope('b'):\n    made()\n",
        ["a/s/w", "b/s/w"],
        False,
    ),
    "of branches": (
        "if 1:\n    "
        + IN_SCOPE.replace("\n    ", "\n        ")
        + "else:\n    "
        + IN_SCOPE.replace("\n    ", "\n        "),
        ["s/w"],
        False,
    ),
    "without variables of it": (
        SCOPED + "    pass\n" + SCOPED + '    w = tf.get_variable("w", [])\n',
        ["w"],
        False,
    ),
}


def _numbered(graph: str) -> tuple[str, int]:
    text, told = graph_names.number_names(Text.read_source(HEAD + graph))
    return text.source.removeprefix(HEAD), len(told)


@pytest.mark.parametrize("case", NUMBERED)
def test_the_number_is_written_out(case: str) -> None:
    graph, expected = NUMBERED[case]
    new, told = _numbered(graph)
    assert not told
    made = [s for s in new.splitlines() if "tf.Variable" in s or "get_v" in s]
    for name, line in zip(expected, made, strict=True):
        assert f'"{name.rpartition("/")[2]}"' in line
    assert _numbered(new) == (new, 0)


@pytest.mark.parametrize("case", TOLD)
def test_what_is_not_certain_is_told(case: str) -> None:
    assert _numbered(TOLD[case]) == (TOLD[case], 1)
    _, told = graph_names.number_names(Text.read_source(HEAD + TOLD[case]))
    assert [f.outcome for f in told] == [Outcome.WARNED]


@pytest.mark.parametrize("case", TAGS)
def test_the_number_of_a_tag_is_written_out(case: str) -> None:
    graph, tag = TAGS[case]
    new, told = _numbered(graph)
    assert not told
    last = [line for line in new.splitlines() if "tf.summary" in line][-1]
    assert f'("{tag.rpartition("/")[2]}"' in last
    assert _numbered(new) == (new, 0)


@pytest.mark.parametrize("case", [*TOLD_OF_TAGS, *NOT_TOLD_OF_TAGS])
def test_tags_that_are_not_certain_are_told(case: str) -> None:
    graph = {**TOLD_OF_TAGS, **NOT_TOLD_OF_TAGS}[case]
    _, found = graph_names.number_names(Text.read_source(HEAD + graph))
    expected = ["M110"] if case in TOLD_OF_TAGS else []
    assert [f.code for f in found if f.outcome is Outcome.WARNED] == expected


# What TensorFlow 2 numbers, too, and scopes that are opened again.
_NOT_WRITTEN = {
    "of an operation": "q_1",
    "in a scope that is opened again": "s_1/q",
    "of a family": "f/f/q",
}


def _ask_tf1(
    tf1: str, where: pathlib.Path, graphs: dict[str, str], ask: str
) -> dict[str, str]:
    """Asks TensorFlow 1 about graphs, and about the same with the names written out.

    Args:
      ask: what a program prints of each, in one line.
    """
    whole = graphs | {f"{c}, new": _numbered(g)[0] for c, g in graphs.items()}
    program = where / "program.py"
    program.write_text(
        HEAD + "import json, sys\nfor graph in json.loads(sys.stdin.read()):\n"
        "    with tf.Graph().as_default():\n        names = {'tf': tf}; exec(graph, names)\n"
        + ask
    )
    done = subprocess.run(
        [tf1, str(program)],
        input=json.dumps(list(whole.values())),
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
        env={**os.environ, **runner.ENVIRONMENT},
    )
    return dict(zip(whole, done.stdout.splitlines(), strict=True))


def test_tensorflow_1_gives_such_tags(tf1: str, tmp_path: pathlib.Path) -> None:
    graphs = {c: g for c, (g, _) in TAGS.items()}
    said = _ask_tf1(
        tf1,
        tmp_path,
        graphs,
        "        tag = names['names'].op.inputs[0].op.get_attr('value').string_val[0]\n"
        "        print(tag.decode())\n",
    )
    for case, tag in said.items():
        name = case.removesuffix(", new")
        assert tag == _NOT_WRITTEN.get(name, TAGS[name][1]), case


def test_tensorflow_1_numbers_so(tf1: str, tmp_path: pathlib.Path) -> None:
    """And gives the same names where they are written out."""
    graphs = {c: g for c, (g, _) in NUMBERED.items() if c not in NOT_RUN}
    said = _ask_tf1(
        tf1,
        tmp_path,
        graphs,
        "        made = names.get('names') or tf.global_variables()\n"
        "        print(json.dumps([v.op.name for v in made]))\n",
    )
    for case, listed in said.items():
        assert json.loads(listed) == NUMBERED[case.removesuffix(", new")][1], case


@pytest.mark.parametrize("case", OF_SCOPES)
def test_scopes_that_are_opened_again(case: str) -> None:
    graph, made, told = OF_SCOPES[case]
    new, found = _numbered(graph)
    assert found == int(told)
    numbers = [name.partition("/")[0] for name in made if "_" in name]
    assert told or all(f'"{number}"' in new for number in numbers)
    assert _numbered(new) == (new, int(told))


def test_tensorflow_1_numbers_scopes_so(tf1: str, tmp_path: pathlib.Path) -> None:
    said = _ask_tf1(
        tf1,
        tmp_path,
        {case: graph for case, (graph, _, _) in OF_SCOPES.items()},
        "        print(json.dumps([v.op.name for v in tf.global_variables()]))\n",
    )
    for case, listed in said.items():
        assert json.loads(listed) == OF_SCOPES[case.removesuffix(", new")][1], case


def test_a_session_program_has_the_name() -> None:
    program = (
        HEAD
        + Q
        + W
        + "loss = tf.square(w - q)\n"
        + "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
        + "with tf.Session() as sess:\n"
        + "    sess.run(tf.global_variables_initializer())\n    sess.run(train)\n"
    )
    done = migrate_text(program)
    assert 'w = tf.Variable(1.0, name="q_1")' in done.text
    assert 'name="q"' in done.text  # The operation's, in the step.
