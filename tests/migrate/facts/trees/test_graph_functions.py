"""Layers of contrib and slim in programs with sessions: what stays graph code, and what is refused."""

from __future__ import annotations

import os
import pathlib
import re
import textwrap

import pytest

from migrate import emitted
from migrate.compiler import migrate_text
from migrate.facts.trees.graph_imports import (
    find_graph_imports,
    find_imports_of_session_programs,
    find_modules,
)
from migrate.file_result import FileResult
from migrate.findings import Outcome
from migrate.migration import Migration
from migrate.options import Options
from migrate.run import run_tree
from migrate.tree import Tree

HEAD = """\
import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim

"""
LOOP = """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        {}
"""


def _program(graph: str, *runs: str) -> Migration:
    loop = LOOP.format("\n        ".join(runs))
    return migrate_text(HEAD + textwrap.dedent(graph) + loop, filename="program.py")


def _refused(migration: Migration) -> set[str]:
    return {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}


def _steps(migration: Migration) -> dict[str, str]:
    """Step functions by name."""
    assert not _refused(migration), _refused(migration)
    parts = re.split(r"@replicas\.step_function\([^@]*?\n    def ", migration.text)
    return {part.partition("(")[0]: part for part in parts[1:]}


X = "x = tf.placeholder(tf.float32, [None, 4])\nz = tf.placeholder(tf.float32, [None, 4])\n"


def test_a_layer_named_by_its_number_needs_those_before_it() -> None:
    graph = (
        X + "first = slim.fully_connected(x, 2)\nsecond = slim.fully_connected(z, 2)\n"
    )
    both = _program(
        graph,
        "sess.run(second, {x: [[1.] * 4], z: [[1.] * 4]})",
        "sess.run(first, {x: [[1.] * 4]})",
    )
    steps = _steps(both)
    assert "first = contrib_layers" in steps["compute_second"]
    assert "second = contrib_layers" not in steps["compute_first"]
    # Alone the second would take the first one's name.
    alone = _program(graph, "sess.run(second, {z: [[1.] * 4]})")
    assert "S111" in _refused(alone)


def test_a_layer_with_a_name_needs_none() -> None:
    graph = X + (
        'first = slim.fully_connected(x, 2, scope="a")\n'
        'second = slim.fully_connected(z, 2, scope="b")\n'
    )
    steps = _steps(_program(graph, "sess.run(second, {z: [[1.] * 4]})"))
    assert "first" not in steps["compute_second"]


PENALISED = (
    X
    + """\
def network(inputs, reuse=None):
    with tf.variable_scope("net", reuse=reuse):
        return slim.fully_connected(inputs, 2, weights_regularizer=slim.l2_regularizer(0.1))
first = network(x)
second = network(z{})
total = tf.losses.get_total_loss()
"""
)


def test_a_network_that_shares_collects_no_penalty() -> None:
    shared = _program(
        PENALISED.format(", reuse=True"), "sess.run(total, {x: [[1.] * 4]})"
    )
    step = _steps(shared)["compute_total"]
    assert "first = network(x)" in step
    assert "second" not in step
    # One of its own has a penalty, which needs none of its inputs.
    own = PENALISED.replace('"net", ', 'None, "net", ').format("")
    assert "S111" in _refused(_program(own, "sess.run(total, {x: [[1.] * 4]})"))


def test_updates_run_where_they_are_asked_for() -> None:
    graph = (
        X
        + """\
net = slim.batch_norm(x, decay=0.5, scope="bn")
loss = tf.reduce_mean(slim.fully_connected(net, 2, scope="out"))
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
"""
    )
    feed = "{x: [[1.] * 4]}"
    steps = _steps(
        _program(graph, f"sess.run(train, {feed})", f"sess.run(loss, {feed})")
    )
    assert "contrib_framework.updates()" in steps["train_step"]
    assert "updates()" not in steps["compute_loss"]
    never = graph.split("with tf.control")[0] + (
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
    )
    assert "updates()" not in _program(never, f"sess.run(train, {feed})").text


@pytest.mark.parametrize(
    "statement",
    [
        'scale = tf.Variable(1.0, name="scale")',
        "tf.layers.batch_normalization(hidden, training=True)",
        "tf.layers.dense(hidden, 2, kernel_regularizer=tf.nn.l2_loss)\n"
        "    penalty = tf.losses.get_regularization_loss()",
        "ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)",
    ],
)
def test_a_function_of_more_than_a_graph_is_refused(statement: str) -> None:
    graph = X + (
        "def network(inputs):\n"
        "    hidden = slim.fully_connected(inputs, 2)\n"
        f"    {statement}\n"
        "    return hidden\n"
        "y = network(z)\n"
    )
    found = _program(graph, "sess.run(y, {z: [[1.] * 4]})")
    assert _refused(found)
    assert "contrib_layers" not in found.text


def test_tf_layers_may_stand_among_them() -> None:
    graph = X + (
        "def network(inputs):\n"
        '    hidden = tf.layers.dense(inputs, 3, name="dense")\n'
        '    return slim.fully_connected(hidden, 2, scope="out")\n'
        "y = network(z)\n"
    )
    found = _program(graph, "sess.run(y, {z: [[1.] * 4]})")
    assert not _refused(found)
    assert "tf1_layers.dense(inputs, 3" in found.text


def test_other_forms_of_training_operations_are_left() -> None:
    graph = X + (
        'loss = tf.reduce_mean(slim.fully_connected(z, 2, scope="out"))\n'
        "optimizer = tf.train.AdamOptimizer()\n"
        "train = slim.learning.create_train_op(loss, optimizer{})\n"
    )
    feed = "sess.run(train, {z: [[1.] * 4]})"
    assert not _refused(_program(graph.format(""), feed))
    other = ', gradient_multipliers={"out/weights": 2.0}'
    assert _refused(_program(graph.format(other), feed))


# -- model functions in other files ----------------------------------------------------

NET = """\
import tensorflow as tf
slim = tf.contrib.slim


def network(inputs, reuse=None, scope="net"):
    with tf.variable_scope(scope, "net", [inputs], reuse=reuse):
        hidden = slim.fully_connected(inputs, 2, weights_regularizer=slim.l2_regularizer(0.1))
        return hidden * tf.get_variable("scale", [])
"""
MAIN = (
    "import tensorflow as tf\n"
    + """\
from nets import small
x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(small.network(x))
tf.losses.add_loss(loss)
total = tf.losses.get_total_loss()
train = tf.train.GradientDescentOptimizer(0.1).minimize(total)
"""
    + LOOP.format("sess.run(train, {x: [[1.] * 4]})")
)


def _tree(directory: pathlib.Path, files: dict[str, str]) -> dict[str, FileResult]:
    for name, text in files.items():
        (directory / name).parent.mkdir(exist_ok=True, parents=True)
        (directory / name).write_text(text)
    results = run_tree([directory], jobs=1)
    return {r.path.relative_to(directory).as_posix(): r for r in results}


def test_a_network_of_another_file_is_called_in_the_steps(
    tmp_path: pathlib.Path,
) -> None:
    (tmp_path / "main.py").write_text(MAIN)
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "small.py").write_text(NET)
    paths = [tmp_path / "main.py", tmp_path / "nets" / "small.py"]
    found = find_graph_imports(paths)
    program, module = (os.path.realpath(path) for path in paths)
    assert found == {program: {"small.network": False}}
    assert (
        find_modules(found, paths)
        == find_imports_of_session_programs(paths)
        == {module}
    )
    tree = Tree(
        files=frozenset({program, module}),
        graph_modules=find_modules(found, paths),
        updating_modules=find_modules(found, paths),
        graph_imports=found,
    )
    options = Options(tree=tree)
    main, net = (migrate_text(p.read_text(), options, str(p)) for p in paths)
    assert "graph_variables.keep(replicas)" in main.text
    assert "small.network(x)" in main.text
    # Its penalty is collected, though this file does not show it.
    assert "tf.compat.v1.losses.get_total_loss()" in main.text
    assert "contrib_layers.fully_connected(inputs, 2" in net.text
    assert 'tf.compat.v1.get_variable("scale", [])' in net.text
    assert "estimator_loop" not in net.text
    assert set(map(emitted.find_module, net.support)) == {
        "contrib_layers",
        "contrib_framework",
    }
    assert "graph_variables.py" in main.support


def test_a_tree_of_a_program_and_its_network(tmp_path: pathlib.Path) -> None:
    found = _tree(tmp_path, {"main.py": MAIN, "nets/small.py": NET})
    assert not any(
        f.outcome is Outcome.REFUSED for r in found.values() for f in r.findings
    )
    assert "graph_variables.keep(replicas)" in found["main.py"].new.decode()


def test_a_file_of_more_than_networks_is_no_such_file(tmp_path: pathlib.Path) -> None:
    paths = [tmp_path / "main.py", tmp_path / "nets" / "small.py"]
    paths[1].parent.mkdir()
    paths[0].write_text(MAIN)
    for more in (
        "def train(loss):\n    return tf.train.AdamOptimizer().minimize(network(loss))\n",
        'W = tf.get_variable("w", [])\n',
    ):
        paths[1].write_text(f"{NET}\n\n{more}")
        found = find_graph_imports(paths)
        assert find_modules(found, paths) == frozenset()
        alone = migrate_text(paths[1].read_text(), filename=str(paths[1]))
        assert "contrib_layers" not in alone.text
        assert _refused(alone)


def test_a_library_of_networks_stays_graph_code(tmp_path: pathlib.Path) -> None:
    found = _tree(tmp_path, {"nets/small.py": NET, "other.py": "x = 1\n"})
    assert "contrib_layers.fully_connected" in found["nets/small.py"].new.decode()
    assert "L150" in {f.code for f in found["nets/small.py"].findings}


def test_metrics_and_chosen_savers_are_refused() -> None:
    """No class counts this one; whom a saver lists differs between step functions."""
    graph = X + 'out = slim.fully_connected(z, 2, scope="out")\n'
    feed = "{z: [[1.] * 4]}"
    streaming = "slim.metrics.streaming_pearson_correlation(out, z)"
    metric = f"{graph}value, update = {streaming}\n"
    assert "T111" in _refused(_program(metric, f"sess.run(update, {feed})"))
    saver = graph + "saver = tf.train.Saver(slim.get_model_variables())\n"
    assert "V111" in _refused(
        _program(saver, f"sess.run(out, {feed})", "saver.save(sess, 'm')")
    )


@pytest.mark.parametrize(
    "listed",
    ["slim.get_model_variables()", "tf.contrib.framework.get_variables('out')"],
)
def test_lists_of_the_graph_are_of_steps(listed: str) -> None:
    """Outside of the steps there is no graph: such a list would be empty."""
    graph = X + 'out = slim.fully_connected(z, 2, scope="out")\n'
    shown = f"print([v.name for v in {listed}])"
    feed = "{z: [[1.] * 4]}"
    assert "N105" in _refused(_program(graph, f"sess.run(out, {feed})", shown))
    loss = f"cost = tf.add_n([tf.nn.l2_loss(v) for v in {listed}])\n"
    assert not _refused(_program(graph + loss, f"sess.run([out, cost], {feed})"))


ALONE = pathlib.Path(__file__).parents[3] / "programs" / "alone"
TYPED = (ALONE / "typed_graph.py").read_text()
FIELDS = TYPED[TYPED.index("class Graph(") : TYPED.index("def build_graph")]
NAMES = '["x", "y", "loss", "accuracy", "train_op"]'
PAIRS = '[("x", object), ("y", object), ("loss", object), ("accuracy", object), ("train_op", object)]'


@pytest.mark.parametrize(
    "made",
    [
        f'Graph = NamedTuple("Graph", {PAIRS})\n\n\n',
        f'Graph = collections.namedtuple("Graph", {NAMES})\n\n\n',
        f'class Graph(collections.namedtuple("Graph", {NAMES})):\n    __slots__ = ()\n\n\n',
        FIELDS.replace(
            "class Graph(NamedTuple):", "@dataclasses.dataclass\nclass Graph:"
        ),
    ],
)
def test_a_graph_in_a_class_of_fields(made: str) -> None:
    text = TYPED.replace(FIELDS, made).replace("len(graph.name)", "10")
    text = text.replace("import os\n", "import collections\nimport os\n")
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]


@pytest.mark.parametrize(
    "more",
    [
        # What else the class does is not followed.
        "    @property\n    def fetches(self):\n        return [self.loss]\n",
        "    kind: object = tf.constant(1.0)\n",
    ],
)
def test_a_graph_in_a_class_that_does_more(more: str) -> None:
    text = TYPED.replace(FIELDS, FIELDS.rstrip() + "\n" + more + "\n\n")
    found = migrate_text(text).findings
    assert [f for f in found if f.outcome is Outcome.REFUSED]
