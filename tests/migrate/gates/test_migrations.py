"""Checks the gate of effects in migrations; no program of the suite fails it."""

from __future__ import annotations

import ast
import json
import pathlib
import random
import textwrap

import pytest

from migrate import compiler, pipeline
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.gates.effects import Wrong, find_differences
from migrate.migration import Migration
from migrate.options import Options
from migrate.source.nodes import walk_breadth_first
from tests import ledger

ROOT = pathlib.Path(__file__).parents[3]
PROGRAMS = sorted(
    [
        *ROOT.glob("reference/*/tf1.py"),
        *(p for d in ("alone", "clustered") for p in (ROOT / "tests/programs" / d).glob("*.py")),
    ]
)  # fmt: skip
SEEN = ("print", "write", "savez")


def changed(text: str, *edits: tuple[str, str]) -> str:
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


def codes(migration: Migration, outcome: Outcome = Outcome.REFUSED) -> set[str]:
    return {f.code for f in migration.findings if f.outcome is outcome} - {"N100"}


CLUSTER = """import sys
import numpy as np
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

flags = tf.app.flags
flags.DEFINE_string("job_name", None, "")
flags.DEFINE_integer("task_index", 0, "")
flags.DEFINE_string("ps_hosts", "localhost:2222", "")
flags.DEFINE_string("worker_hosts", "localhost:2223", "")
flags.DEFINE_string("data_dir", "/tmp/mnist-data", "")
flags.DEFINE_boolean("download_only", False, "")
FLAGS = flags.FLAGS


def main(_):
  mnist = input_data.read_data_sets(FLAGS.data_dir, one_hot=True)
  if FLAGS.download_only:
    sys.exit(0)
  cluster = tf.train.ClusterSpec({
      "ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
  server = tf.train.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()
  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 784])
    w = tf.Variable(tf.zeros([784, 1]))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    init = tf.global_variables_initializer()
  with tf.train.MonitoredTrainingSession(
      master=server.target, is_chief=(FLAGS.task_index == 0)) as sess:
    while not sess.should_stop():
      xs, _ = mnist.train.next_batch(10)
      print(sess.run([train, loss], {x: xs})[1])


if __name__ == "__main__":
  tf.app.run()
"""


def test_data_is_loaded_before_the_program_may_end() -> None:
    """Each worker has a reader of its own, and every task loads where it loaded."""
    done = migrate_text(CLUSTER)
    assert not codes(done)
    text = done.text
    made = (
        "mnist = training_session.per_worker(lambda: mnist_input_data.read_data_sets("
    )
    assert text.index(made) < text.index("sys.exit(0)")
    # Where nothing ends after it, it is a worker's own as it was.
    edits = ("  if FLAGS.download_only:\n    sys.exit(0)\n", "")
    line = "  mnist = input_data.read_data_sets(FLAGS.data_dir, one_hot=True)\n"
    below = (line, ""), ("  with tf.device", line + "  with tf.device")
    inside = migrate_text(changed(CLUSTER, edits, *below)).text
    assert "    mnist = mnist_input_data.read_data_sets(" in inside


@pytest.mark.parametrize(
    "end", ["sys.exit(3)", "raise SystemExit(3)", "os._exit(3)", "exit()", "return"]
)
def test_a_guard_between_statements_of_the_graph_stays_there(end: str) -> None:
    text = f"""import os
import sys
import tensorflow as tf


def main(_):
    w = tf.get_variable("w", [3])
    if len(sys.argv) > 1:
        {end}
    loss = tf.reduce_mean(tf.square(w))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(loss))


tf.app.run()
"""
    done = migrate_text(text)
    assert not codes(done)
    at = [done.text.index(one) for one in ("w = tf.Variable", end, "def compute_loss")]
    assert at == sorted(at)
    head, body = text.split("def main(_):\n")
    body, start = body.split("\n\n\n")
    graph = "    with tf.Graph().as_default():\n" + textwrap.indent(body, "    ")
    graph += "\n    print('done')"
    assert not codes(migrate_text(f"{head}def main(_):\n{graph}\n\n\n{start}"))


def test_what_would_move_is_refused_at_its_line() -> None:
    """A rule that moves it is not asked: the gate compares the texts."""
    loads = "  first, second = input_data.load(FLAGS.data_dir)\n"
    text = changed(
        CLUSTER,
        ("  mnist = input_data.read_data_sets(FLAGS.data_dir, one_hot=True)\n", loads),
        ("mnist.train.next_batch(10)", "first.next_batch(10)"),
    )
    done = migrate_text(text)
    assert codes(done) and "training_session" not in done.text
    again = migrate_text(done.text)
    assert again.text == done.text


@pytest.mark.parametrize(
    "path",
    [
        "sys.path.append('..')\n",
        "if '..' not in sys.path:\n  sys.path.insert(0, '..')\n",
    ],
)
def test_written_modules_are_imported_where_the_path_says(path: str) -> None:
    text = changed(CLUSTER, ("import numpy", path + "import numpy"))
    done = migrate_text(text)
    assert not codes(done)
    assert done.text.index(path) < done.text.index("import training_session")
    first = done.text.index("import training_session")
    assert first < done.text.index("flags.DEFINE")


def _broken(monkeypatch: pytest.MonkeyPatch, *edits: tuple[str, str]) -> None:
    """The compiler with a fault in it: what it makes is changed before it is judged."""
    real = compiler._compile_file

    def compiled(text: str, unit: compiler.Unit) -> Migration:
        done = real(text, unit)
        if done.text == text:
            return done
        return Migration(changed(done.text, *edits), done.findings, done.support)

    monkeypatch.setattr(compiler, "_compile_file", compiled)


@pytest.mark.parametrize(
    ("edit", "recipe"),
    [
        (("    sys.exit(0)\n", "    pass\n"), "Move the statement before"),
        (("        print(sess.run", "        (sess.run"), "Move the statement before"),
        (
            (
                "      while not sess.should_stop():\n        xs",
                "      if True:\n        xs",
            ),
            "Move the test or loop, with its body",
        ),
        (
            ("mnist_input_data.read_data_sets(FLAGS.data_dir, one_hot=True)", "None"),
            "Move the statement before",
        ),
    ],
)
def test_a_fault_of_the_compiler_costs_the_user_nothing(
    monkeypatch: pytest.MonkeyPatch, edit: tuple[str, str], recipe: str
) -> None:
    """The program stays, with the reason at the line."""
    assert not codes(migrate_text(CLUSTER))
    _broken(monkeypatch, edit)
    done = migrate_text(CLUSTER)
    assert codes(done) == {"G007"}
    left = [line for line in done.text.split("\n") if "TODO(tf1to2)" not in line]
    assert "\n".join(left) == CLUSTER
    assert not done.support
    lines = CLUSTER.split("\n")
    assert any(f.recipe.startswith(recipe) for f in done.findings)
    for finding in done.findings:
        if finding.code == "G007":
            assert finding.reason and finding.recipe
            assert lines[finding.line - 1].strip()


def test_what_worker_0_does_alone_is_told() -> None:
    """C119: the other workers serve it."""
    text = changed(CLUSTER, ("  with tf.device", "  print('builds')\n  with tf.device"))
    done = migrate_text(text)
    told = [f for f in done.findings if f.code == "C119"]
    assert [text.split("\n")[f.line - 1] for f in told] == ["  print('builds')"]
    assert "C119" not in {f.code for f in migrate_text(CLUSTER).findings}


@pytest.mark.parametrize("way", ["  train()", "  if JOB:\n    train()"])
def test_what_worker_0_does_alone_after_its_function_is_told(way: str) -> None:
    """C119, also of what stands below a call, or a branch, in which the others serve."""
    head, body = CLUSTER.split("def main(_):\n")
    rest = "\n\ndef main(_):\n" + way + "\n  print('done')\n\n\nif __name__"
    text = head + "JOB = FLAGS.job_name\n\n\ndef train():\n"
    text += body.replace("\n\nif __name__", rest)
    told = [f for f in migrate_text(text).findings if f.code == "C119"]
    assert [text.split("\n")[f.line - 1] for f in told] == ["  print('done')"]


HELPER = """import numpy as np
import tensorflow as tf
def show(t):
  {}
def net(inputs):
  with tf.variable_scope("net"):
    w = tf.get_variable("w", [4, 1])
    out = tf.matmul(inputs, w)
  show(out)
  return out
names = []
x = tf.placeholder(tf.float32, [None, 4])
out = net(x)
loss = tf.reduce_mean(tf.square(out - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  for i in range(3):
    sess.run(train, {{x: np.ones((2, 4))}})
    print(sess.run(loss, {{x: np.ones((2, 4))}}))
"""


def test_a_helper_that_prints_of_the_graph_is_told() -> None:
    """D152: it prints in each step that is traced, and printed once."""
    text = HELPER.format("print(t.get_shape())")
    done = migrate_text(text)
    assert not codes(done)
    told = [f for f in done.findings if f.code == "D152"]
    assert [text.split("\n")[f.line - 1] for f in told] == ["  print(t.get_shape())"]
    assert [f.outcome for f in told] == [Outcome.WARNED]  # The run says it unasked.
    quiet = migrate_text(HELPER.format("assert t.get_shape()[1] == 1"))
    assert not codes(quiet) and "D152" not in codes(quiet, Outcome.WARNED)


def test_a_helper_that_keeps_what_it_saw_of_the_graph_is_refused() -> None:
    """Two steps would put it into the list two times."""
    text = HELPER.format("names.append(t.op.name)")
    done = migrate_text(text + "print(names)\n")
    assert codes(done) == {"G007"}
    told = [f for f in done.findings if f.code == "G007"]
    assert [text.split("\n")[f.line - 1] for f in told] == ["  names.append(t.op.name)"]
    assert "move it out of the function" in told[0].recipe


@pytest.mark.parametrize(
    "shown",
    ["print(loss.shape)", "logging.info(loss)", "sys.stdout.write(str(loss.name))"],
)
def test_what_was_shown_of_a_tensor_is_told(shown: str) -> None:
    """S114: by whatever function."""
    imports = "import logging\nimport sys\n"
    text = imports + ALONE.format("pass", "pass").replace("init =", f"{shown}\ninit =")
    done = migrate_text(text)
    assert not codes(done) and shown not in done.text
    line = text.split("\n").index(shown) + 1
    told = [f for f in done.findings if f.line == line and not f.symbol]
    assert [(f.code, f.outcome) for f in told] == [("S114", Outcome.WARNED)]


# -- runs that are dropped -------------------------------------------------------------


@pytest.mark.parametrize(
    ("directory", "outcome"),
    [("'/tmp/train'", Outcome.REFUSED), ("None", Outcome.REWRITTEN)],
)
@pytest.mark.parametrize("supervised", [False, True])
def test_initial_values_over_what_was_restored(
    directory: str, outcome: Outcome, supervised: bool
) -> None:
    """D112: what a session has restored, TF1's run of the initializer undid."""
    session = (
        "  with tf.train.MonitoredTrainingSession(\n"
        "      master=server.target, is_chief=(FLAGS.task_index == 0)"
    )
    first = "    while not sess.should_stop():\n"
    text = changed(CLUSTER, (first, "    sess.run(init)\n" + first))
    if supervised:
        managed = (
            "  sv = tf.train.Supervisor(is_chief=(FLAGS.task_index == 0), init_op=init,\n"
            f"      logdir={directory}, global_step=step)\n"
            "  with sv.managed_session(server.target"
        )
        text = changed(text, (session, managed), ("sess.should_stop", "sv.should_stop"))
    else:
        text = changed(text, (session, f"{session}, checkpoint_dir={directory}"))
    found = [f for f in migrate_text(text).findings if f.code == "D112"]
    assert [f.outcome for f in found] == [outcome]
    assert text.split("\n")[found[0].line - 1] == "    sess.run(init)"


ALONE = """import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 4])
w = tf.Variable(tf.zeros([4, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
init = tf.global_variables_initializer()
with tf.Session() as sess:
  {}
  sess.run(init)
  {}
  sess.run(loss, {{x: np.ones((2, 4))}})
"""
REPORT = "print(sess.run(tf.report_uninitialized_variables()))"


def test_a_program_that_asks_learns_that_its_variables_have_values() -> None:
    done = migrate_text(ALONE.format("pass", REPORT))
    assert not codes(done)
    assert done.text.index("sess.initialize()") < done.text.index("uninitialized_var")
    assert "initialize()" not in migrate_text(ALONE.format("pass", "pass")).text


# -- notebooks -------------------------------------------------------------------------


def _notebook(*cells: str) -> str:
    parts = [
        {"cell_type": "code", "metadata": {}, "source": cell, "outputs": []}
        for cell in cells
    ]
    kernel = {"kernelspec": {"language": "python", "name": "python3"}}
    return json.dumps(
        {"cells": parts, "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}
    )


def test_a_cell_imports_what_it_uses_first(tmp_path: pathlib.Path) -> None:
    """It may use a written module above its own first import; TensorFlow's stands first."""
    body = ALONE.format("pass", "print(w.name)").replace("import numpy as np\n", "")
    path = tmp_path / "program.ipynb"
    path.write_text(_notebook("SIZE = 4\n", f"{body}import os\nprint(os.sep)\n"))
    done = pipeline.migrate_bytes(path, path.read_bytes(), Options())
    assert done.changed
    cell = json.loads(done.new)["cells"][1]["source"]
    assert "".join(cell).startswith("import tensorflow as tf\nimport plain_session\n")


def test_cells_that_would_be_cut_amiss_stay(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = ALONE.format("pass", "print(w.name)")
    path = tmp_path / "program.ipynb"
    path.write_text(_notebook("print(1)\n", body))
    assert pipeline.migrate_bytes(path, path.read_bytes(), Options()).changed
    real = pipeline.notebooks.write

    def amiss(*args: object) -> pipeline.notebooks.Written:
        """The import of a cell stands below its code."""
        notebook = json.loads(real(*args).text)  # type: ignore[arg-type]
        lines = "".join(notebook["cells"][1]["source"]).split("\n")
        lines.append(lines.pop(lines.index("import plain_session")))
        notebook["cells"][1]["source"] = "\n".join(lines)
        return pipeline.notebooks.Written(json.dumps(notebook), {})

    monkeypatch.setattr(pipeline.notebooks, "write", amiss)
    done = pipeline.migrate_bytes(path, path.read_bytes(), Options())
    assert not done.changed
    assert [(f.code, f.cell, f.line) for f in done.findings] == [("G007", 1, 1)]


# -- the suite -------------------------------------------------------------------------


def test_no_program_of_the_suite_has_an_effect_otherwise() -> None:
    """Violations: 0; and faults that are planted into the results are found."""
    ledger.rests_on(ledger.COMPILER)
    drawn = random.Random(7)
    stopped: dict[str, list[str]] = {}
    found = {True: 0, False: 0}
    compared = 0
    for path in drawn.sample(PROGRAMS, 36):
        text = path.read_text()
        done = migrate_text(text, filename=str(path))
        reasons = [f.reason for f in done.findings if f.code == "G007"]
        if reasons:
            stopped[path.name] = reasons
        if done.text == text or codes(done):
            continue
        compared += 1
        for planted in _without_one(done.text, text, drawn):
            wrongs = {d.wrong for d in find_differences(text, planted, done.findings)}
            found[bool(wrongs - {Wrong.SERVED})] += 1
    assert not stopped
    assert compared > 24
    assert found[True] > 36 and found[False] <= found[True] / 20, found


def _without_one(result: str, original: str, drawn: random.Random) -> list[str]:
    """The result without one of its calls that is seen, two times."""
    lines = result.split("\n")
    places = [
        node
        for node in walk_breadth_first(ast.parse(result))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func).rpartition(".")[2] in SEEN
        and lines[node.lineno - 1].strip() in original
    ]
    planted = []
    for node in drawn.sample(places, min(2, len(places))):
        new = [*lines]
        end = node.end_lineno or node.lineno
        new[node.lineno - 1 : end] = [" " * node.col_offset + "pass"]
        planted.append("\n".join(new))
    return planted
