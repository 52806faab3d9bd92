"""Files of several programs of which a process runs one: alone, or as a task of a cluster."""

from __future__ import annotations

import ast
import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from tests.programs.programs import HERE

BRANCHES = (HERE / "local_or_clustered.py").read_text()
FUNCTIONS = (HERE / "two_trainings.py").read_text()
RETURNS = (HERE / "returns_where_alone.py").read_text()
LOCAL = "        # One process: the variables are its own.\n"
CHOICE = """    if not FLAGS.job_name:
        train_local()
    else:
        train_distributed()
"""


def _changed(text: str, *edits: tuple[str, str]) -> str:
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


def _refused(done: Migration) -> list[Finding]:
    assert not any(f.outcome is Outcome.FAILED for f in done.findings)
    loud = [f for f in done.findings if f.outcome is Outcome.REFUSED]
    return [f for f in loud if f.code != "N100"]


def _calls(text: str, name: str) -> int:
    return sum(
        isinstance(node, ast.Call) and ast.unparse(node.func) == name
        for node in ast.walk(ast.parse(text))
    )


@pytest.mark.parametrize(
    "text",
    [
        BRANCHES,
        FUNCTIONS,
        RETURNS,
        # A function for one of them, and the rest below.
        _changed(
            FUNCTIONS,
            (CHOICE, ""),
            ("def main():\n", ""),
            (
                "def train_distributed():\n",
                "def main():\n    if not FLAGS.job_name:\n        train_local()\n"
                "        return\n",
            ),
        ),
        # The other one first, and a third that does nothing of TensorFlow.
        _changed(
            FUNCTIONS,
            (
                CHOICE,
                "    if FLAGS.job_name:\n        train_distributed()\n"
                "    elif FLAGS.steps:\n        train_local()\n"
                "    else:\n        print('nothing to do')\n",
            ),
        ),
        # By `tf.app.run` with a function of another name.
        _changed(BRANCHES, ("def main(_)", "def start(_)"), ("run()", "run(start)")),
        # A session of another kind.
        _changed(
            BRANCHES,
            ("with tf.Session() as sess", "with tf.train.MonitoredSession() as sess"),
            ("            sess.run(tf.global_variables_initializer())\n", ""),
            (
                '            saver.save(sess, FLAGS.dir + "/alone.ckpt", global_step=global_step)\n',
                "",
            ),
        ),
    ],
)
def test_each_is_migrated_with_its_own_back_end(text: str) -> None:
    done = migrate_text(text)
    assert not _refused(done)
    assert _calls(done.text, "tf.distribute.ParameterServerStrategy") == 1
    alone = _calls(done.text, "tf.distribute.get_strategy")
    assert alone + _calls(done.text, "tf.compat.v1.train.Saver") == 1
    assert _calls(done.text, "replicas.run") == 1
    # No finding stands at a line that the file has not, and no mark is left.
    assert all(0 < f.line <= text.count("\n") + 1 for f in done.findings)
    assert "_region_" not in done.text
    assert migrate_text(done.text).text == done.text


SERVER_ABOVE = _changed(
    BRANCHES,
    (
        "    if FLAGS.job_name is None:\n" + LOCAL,
        '    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(",")})\n'
        "    server = tf.train.Server(cluster, job_name=FLAGS.job_name)\n"
        "    if FLAGS.task_index == 0:\n",
    ),
)


@pytest.mark.parametrize(
    "text",
    [
        # Both branches are tasks of one cluster.
        SERVER_ABOVE,
        # Each has a server of its own: the chief, and the workers.
        _changed(
            FUNCTIONS,
            (
                "    model = Model(4)\n    with",
                "    server = tf.train.Server({'ps': [], 'worker': []})\n    model = Model(4)\n    with",
            ),
            ("Session(checkpoint_dir", "Session(server.target, checkpoint_dir"),
        ),
        # One process may run both.
        _changed(
            FUNCTIONS,
            ("    else:\n        train_distributed()\n", "    train_distributed()\n"),
        ),
        _changed(
            FUNCTIONS,
            (CHOICE, "    for _ in range(2):\n" + textwrap.indent(CHOICE, "    ")),
        ),
        _changed(FUNCTIONS, ("    main()\n", "    main()\n    main()\n")),
        _changed(FUNCTIONS, ("    main()\n", "    main()\n    train_local()\n")),
    ],
)
def test_what_one_process_may_run_both_of_is_refused(text: str) -> None:
    assert "N101" in {f.code for f in _refused(migrate_text(text))}


def test_a_refusal_of_one_program_is_at_its_line() -> None:
    """It says what is wrong there, and not that there are two sessions."""
    wrong = "            sess.graph.finalize()\n"
    first = "            for xs, ys in batches(4, 20):\n"
    text = _changed(BRANCHES, (first, wrong + first))
    found = _refused(migrate_text(text))
    assert {f.code for f in found} == {"S185"}
    assert {text.split("\n")[f.line - 1] + "\n" for f in found} == {wrong}


def test_what_stands_around_is_done_as_it_was() -> None:
    """A test that asks for what is above it is not asked before."""
    new = migrate_text(BRANCHES).text
    run = new[new.index("def run_worker") :]
    assert "log = open(" in run and run.count("log.close()") == 1
    late = "    FLAGS.job_name = FLAGS.job_name or None\n    if FLAGS.job_name is None"
    text = _changed(BRANCHES, ("    if FLAGS.job_name is None", late))
    new = migrate_text(text).text
    assert new.index("or None\n") < new.index("    if FLAGS.job_name is None")
