"""`tf1to2 verify` of sessions of one process: equal where it is, and where it is not."""

from __future__ import annotations

import pathlib

import pytest

from reference.verify.verdict import Outcome
from tests import ledger
from tests.verify.support import ALONE, copied, migrated, unproven, verified


def test_equal_and_a_planted_fault(tmp_path: pathlib.Path) -> None:
    ledger.rests_on(ledger.COMPILER, ledger.ROOT / "reference")
    old = copied(ALONE / "fed_steps.py", tmp_path / "old")
    new = migrated(old, tmp_path / "new")
    fault = "[0.1, 0.05, 0.01]", "[0.1, 0.051, 0.01]"
    wrong = migrated(old, tmp_path / "wrong", fault)
    arguments = [f"--out={tmp_path}"]

    equal = verified(old, new, tmp_path / "equal", arguments)
    assert equal.outcome is Outcome.EQUAL, unproven(equal)
    assert equal.comparison is not None
    assert {(r.kind, r.name) for r in equal.comparison.rows} >= {
        ("variable", "Variable"),
        ("variable", "Variable/Momentum"),
        ("read", "Mean"),
    }

    different = verified(old, wrong, tmp_path / "different", arguments)
    assert different.outcome is Outcome.DIFFERENT
    # The rate is another from its second piece on, in the second of two updates.
    assert different.variable is not None
    assert (different.variable.name, different.variable.first) == ("Variable", 9)
    assert different.variable.old_at == "fed_steps.py:17"
    # Nothing is written where the arguments say, but in the runs' own directories.
    assert not list(tmp_path.glob("loss*"))


def test_nothing_to_compare_is_not_equal(tmp_path: pathlib.Path) -> None:
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    for path in (old, new):
        path.write_text("import tensorflow as tf\nprint('hello')\n")
    verdict = verified(old, new, tmp_path / "work")
    assert verdict.outcome is Outcome.UNKNOWN
    assert verdict.outcome.exit_code == 2


def test_a_program_without_a_step_runs(tmp_path: pathlib.Path) -> None:
    """It only saves, so that the written modules have no step function."""
    old = tmp_path / "old" / "save.py"
    old.parent.mkdir()
    old.write_text(
        "import tensorflow as tf\n"
        "x = tf.placeholder(tf.float32, [None, 2])\n"
        "w = tf.Variable(tf.ones([2, 4]), name='w')\n"
        "y = tf.matmul(x, w)\n"
        "b = tf.Variable(tf.random_normal([y.get_shape().as_list()[-1], 3]), name='b')\n"
        "sess = tf.Session()\n"
        "saver = tf.train.Saver()\n"
        "sess.run(tf.global_variables_initializer())\n"
        "saver.save(sess, './model')\n"
    )
    verdict = verified(old, None, tmp_path / "work")
    assert "the programs ran" in verdict.line


def test_a_program_that_fails_is_told(tmp_path: pathlib.Path) -> None:
    old = tmp_path / "old.py"
    old.write_text("import tensorflow as tf\nraise ValueError('no data')\n")
    verdict = verified(old, old, tmp_path / "work")
    assert verdict.outcome is Outcome.UNKNOWN
    assert "no data" in verdict.line


def test_a_worker_that_fails_is_told_though_others_go_on(
    tmp_path: pathlib.Path,
) -> None:
    """The others' loops make their steps in the same process: it is no difference."""
    old = copied(ledger.COMPILER / "demo" / "train.py", tmp_path / "old")
    printing = "                if i % 200 == 0:"
    fault = printing, f"                1 / task_index\n{printing}"
    new = migrated(old, tmp_path / "new", fault)
    verdict = verified(old, new, tmp_path / "work", workers=2)
    assert verdict.outcome is Outcome.UNKNOWN
    assert "the migration failed: ZeroDivisionError" in verdict.line


def test_functions_whose_variables_have_no_names(tmp_path: pathlib.Path) -> None:
    """Steps that the program calls: nothing of the tool's is there to be watched."""
    old = copied(ALONE / "interactive_softmax.py", tmp_path / "old")
    new = migrated(old, tmp_path / "new")
    assert "plain_session" not in new.read_text()
    arguments = [f"--out={tmp_path}"]
    equal = verified(old, new, tmp_path / "equal", arguments)
    assert equal.outcome is Outcome.EQUAL, unproven(equal)
    assert equal.comparison is not None
    slots = [r for r in equal.comparison.rows if "Adam" in r.name and r.steps]
    assert len({r.name for r in slots}) == len(slots) >= 4


AT_REST = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [])
w = tf.Variable(0.5, name="w")
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(1.0 - w * x))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in [1.0, 0.0, 0.0, 0.5, 2.0]:
        sess.run(train, {x: value})
    print(sess.run(w))
"""


def test_an_update_by_nothing_is_a_step(tmp_path: pathlib.Path) -> None:
    """A gradient of zero leaves the variable as it is: the steps after it stay in place."""
    old = tmp_path / "old" / "at_rest.py"
    old.parent.mkdir()
    old.write_text(AT_REST)
    new = migrated(old, tmp_path / "new")
    assert "plain_session" not in new.read_text()
    equal = verified(old, new, tmp_path / "equal")
    assert equal.outcome is Outcome.EQUAL, unproven(equal)
    assert equal.comparison is not None and equal.comparison.steps == (5, 5)


def test_a_program_with_a_warning_is_migrated_first(tmp_path: pathlib.Path) -> None:
    """`migrate` ends with 1 for it (N191), and has written the program."""
    old = tmp_path / "old" / "clipped.py"
    old.parent.mkdir()
    old.write_text(
        "import tensorflow as tf\n"
        "w = tf.Variable([0.5, -0.25])\n"
        "loss = tf.reduce_sum(tf.square(w - 3.0))\n"
        "train = tf.train.GradientDescentOptimizer(0.001).minimize(loss)\n"
        "clip = w.assign(tf.clip_by_value(w, -9.0, 9.0))\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    for step in range(3):\n"
        "        print(sess.run([train, clip, loss])[2])\n"
    )
    verdict = verified(old, None, tmp_path / "work")
    assert "is not migrated" not in verdict.line
    assert verdict.comparison is not None


AVERAGED = """\
import numpy as np
import tensorflow as tf
value = tf.placeholder(tf.float32)
average = tf.Variable(0.0)
update = 0.1 * value + 0.9 * average
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        new = sess.run(update, {value: np.random.rand()})
        sess.run(tf.assign(average, new))
"""


def test_an_assignment_outside_of_functions_is_a_step(tmp_path: pathlib.Path) -> None:
    """The variable was seen in the original alone."""
    old = tmp_path / "old" / "averaged.py"
    old.parent.mkdir()
    old.write_text(AVERAGED)
    new = migrated(old, tmp_path / "new")
    text = new.read_text()
    assert "    average.assign(new)\n" in text
    equal = verified(old, new, tmp_path / "equal")
    assert equal.outcome is Outcome.EQUAL, unproven(equal)
    assert equal.comparison is not None and equal.comparison.steps == (5, 5)
    new.write_text(text.replace("average.assign(new)", "average.assign(new * 1.01)"))
    assert verified(old, new, tmp_path / "faulty").outcome is Outcome.DIFFERENT


@pytest.mark.parametrize("fault", [None, ("run(compute_worst,", "run(compute_loss,")])
def test_a_session_behind_that_of_a_worker(
    fault: tuple[str, str] | None, tmp_path: pathlib.Path
) -> None:
    program = ALONE.parent / "clustered" / "tested_afterwards.py"
    old = copied(program, tmp_path / "old")
    new = migrated(old, tmp_path / "new", fault)
    given = [f"--dir={tmp_path}"]
    verdict = verified(old, new, tmp_path / "work", given, steps=40, workers=1)
    expected = Outcome.EQUAL if fault is None else Outcome.DIFFERENT
    assert verdict.outcome is expected, unproven(verdict)
    assert verdict.comparison is not None
    assert ("read", "Max") in {(r.kind, r.name) for r in verdict.comparison.rows}


def test_sessions_that_restore_nothing(tmp_path: pathlib.Path) -> None:
    """A session without a directory has no method that restores, which verify watched."""
    flags = ("job_name", "ps_hosts", "worker_hosts")
    program = (
        "import tensorflow as tf\n"
        + "".join(f"tf.app.flags.DEFINE_string('{f}', '', '')\n" for f in flags)
        + """\
tf.app.flags.DEFINE_integer("task_index", 0, "")
FLAGS = tf.app.flags.FLAGS


def main(_):
    cluster = tf.train.ClusterSpec(
        {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(
        cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        w = tf.Variable(tf.random_normal([2]))
        loss = tf.reduce_mean(tf.square(w - 3.0))
        step = tf.train.get_or_create_global_step()
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    with tf.train.MonitoredTrainingSession(server.target, FLAGS.task_index == 0) as sess:
        for _ in range(6):
            print(sess.run([train, loss])[1])


if __name__ == "__main__":
    tf.app.run()
"""
    )
    old = tmp_path / "old" / "train.py"
    old.parent.mkdir()
    old.write_text(program)
    verdict = verified(old, None, tmp_path / "work")
    assert verdict.outcome is Outcome.EQUAL, unproven(verdict)
    wrong = migrated(old, tmp_path / "wrong", ("w - 3.0", "w - 2.9"))
    other = verified(old, wrong, tmp_path / "other")
    assert other.outcome is Outcome.DIFFERENT
