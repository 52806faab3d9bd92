"""Every argument, attribute and method of a Supervisor: kept, mapped or refused."""

from __future__ import annotations

import pathlib
import sys

import pytest
import tensorflow as tf

from migrate import emitted
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.tables import supervisor as table
from reference import processes
from tests.migrate.test_programs import ENVIRONMENT

PROGRAM = """\
import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    gs = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, gs)
    tf.summary.scalar("loss", loss)
    merged = tf.summary.merge_all()
    own = tf.summary.merge([tf.summary.scalar("own", loss)])
init = tf.global_variables_initializer()
given = tf.train.Saver()
writer = tf.summary.FileWriter("elsewhere")
sv = tf.train.Supervisor(is_chief=task == 0, logdir="logs"MORE)
with sv.managed_session(server.target) as sess:
    while not sv.should_stop():
        summary = sess.run([train_op, merged], {x: xs})[1]
        pass  # INSIDE
"""
REFUSED = "refused"
NO_SUMMARIES = "save_summaries_secs=None"
# An argument -> what the migrated program has for it ("" where nothing is left).
ARGUMENTS = {
    "graph=None": "",
    "graph=tf.get_default_graph()": "",
    "graph=other": REFUSED,
    "ready_op=tf.report_uninitialized_variables()": "",
    "ready_for_local_init_op=None": "",
    "init_op=init": "",
    "init_feed_dict=None": "",
    "init_feed_dict={x: xs}": REFUSED,
    "local_init_op=tf.local_variables_initializer()": "",
    "summary_op=None": NO_SUMMARIES,
    "summary_op=merged": "save_summaries_secs=120",
    "summary_op=own": 'SummarySaverHook(save_secs=120, output_dir="logs", '
    'summary_op="own")',
    "saver=given": "scaffold=training_session.Scaffold(saver=given)",
    "saver=None": "save_checkpoint_secs=None",
    "global_step=gs": "",
    "save_summaries_secs=30": "save_summaries_secs=30",
    "save_summaries_secs=0": NO_SUMMARIES,
    "save_model_secs=60": "save_checkpoint_secs=60",
    "save_model_secs=0": "save_checkpoint_secs=None",
    "recovery_wait_secs=1": "",
    "stop_grace_secs=120": "",
    'checkpoint_basename="model.ckpt"': "save_checkpoint_secs=600",
    'checkpoint_basename="net"': 'CheckpointSaverHook(checkpoint_dir="logs", '
    'save_secs=600, checkpoint_basename="net")',
    "session_manager=None": "",
    "session_manager=tf.train.SessionManager()": REFUSED,
    "summary_writer=None": NO_SUMMARIES,
    "summary_writer=writer": "SummarySaverHook(save_secs=120, summary_writer=writer, "
    'summary_op="sv_summary_op")',
    "init_fn=None": "",
    "init_fn=start": REFUSED,
    "local_init_run_options=None": "",
}
# A statement of the loop -> what the migrated program has for it.
INSIDE = {
    "sv.request_stop()": "sess.request_stop()",
    "sv.RequestStop()": "sess.request_stop()",
    "sv.coord.request_stop()": "sess.request_stop()",
    "print(sv.coord.should_stop())": "print(sess.should_stop())",
    "sv.coord.join([])": "",
    "sv.coord.wait_for_stop()": REFUSED,
    "sv.stop()": "",
    "sv.start_queue_runners(sess)": "",
    "sv.start_standard_services(sess)": "",
    "sv.wait_for_stop()": REFUSED,
    "sv.stop_on_exception()": REFUSED,
    "sv.session_manager.recover_session('')": REFUSED,
    "sv.summary_computed(sess, summary, 3)": "sv_summary_writer.add_summary(summary, 3)",
    "sv.SummaryComputed(sess, summary)": "sv_summary_writer.add_summary(summary, "
    "replicas.global_step.numpy())",
    "sv.summary_writer.flush()": "sv_summary_writer.flush()",
    "sv.saver.save(sess, sv.save_path)": 'sv_saver.save(sess, ("logs" + "/model.ckpt"))',
    "print(sv.is_chief)": "print((task_index == 0))",
    "print(sess.run(sv.global_step))": "gs",
    "sv.loop(60, lambda: print('alive'))": "LooperThread.loop(sv_coord, 60, lambda",
    "sv.Loop(60, lambda n: print(n), (1,))": "LooperThread.loop(sv_coord, 60, lambda",
    "sv.loop(60, lambda: print(sess.run(gs)))": REFUSED,
    "sv.loop(60, unknown)": REFUSED,
    "thread = sv.loop(60, lambda: print('alive'))": REFUSED,
    "print(sv)": REFUSED,
}


def _migrated(more: str = "", inside: str = "pass") -> tuple[str, bool]:
    text = PROGRAM.replace("MORE", f", {more}" if more else "")
    new = migrate_text(text.replace("pass  # INSIDE", inside))
    outcomes = {f.outcome for f in new.findings}
    assert Outcome.FAILED not in outcomes
    return " ".join(new.text.split()), Outcome.REFUSED not in outcomes


def test_the_plain_one_is_migrated() -> None:
    text, done = _migrated()
    assert done and 'checkpoint_dir="logs"' in text and "Supervisor" not in text


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_every_argument(argument: str) -> None:
    text, done = _migrated(argument)
    expected = ARGUMENTS[argument]
    assert done == (expected != REFUSED)
    if done:
        assert expected in text
        assert "Supervisor" not in text


def test_the_table_has_all_arguments() -> None:
    """In the order of TensorFlow 1.15.5's signature; logdir and is_chief are in all."""
    told = [a.partition("=")[0] for a in ARGUMENTS]
    wanted = [p for p in table.PARAMETERS if p not in ("is_chief", "logdir")]
    assert list(dict.fromkeys(told)) == wanted


@pytest.mark.parametrize("statement", INSIDE)
def test_every_method(statement: str) -> None:
    text, done = _migrated(inside=statement)
    expected = INSIDE[statement]
    assert done == (expected != REFUSED)
    if done:
        assert expected in text and "sv." not in text


def test_what_has_no_counterpart_is_named() -> None:
    new = migrate_text(
        PROGRAM.replace("MORE", "").replace("pass  # INSIDE", "sv.wait_for_stop()")
    )
    assert any(f.code == "N132" and "wait_for_stop" in f.reason for f in new.findings)


# What TensorFlow 1.15.5 wrote for tests/programs/supervised_services.py, one ps and one
# worker: step, tag, value; and the checkpoints beside the first and the last.
RECORDED = [
    (5, "loss", 0.034465),
    (7, "loss", 1.199863),
    (9, "loss", 1.069475),
    (15, "loss", 0.086869),
    (17, "loss", 0.389705),
    (19, "loss", 0.226938),
    (25, "loss", 0.084262),
    (27, "loss", 0.159042),
]
SAVED = ["net.ckpt-0.index", "net.ckpt-by-hand-19.index", "net.ckpt-by-hand-9.index"]


def _summaries(logs: pathlib.Path) -> list[tuple[int, str, float]]:
    return sorted(
        (event.step, value.tag, round(value.simple_value, 6))
        for file in logs.glob("events*")
        for event in tf.compat.v1.train.summary_iterator(str(file))
        for value in event.summary.value
        if value.tag != "global_step/sec"  # By the clock.
    )


@pytest.mark.parametrize("at_fault", [False, True])
def test_its_services_write_what_they_wrote(
    at_fault: bool, tmp_path: pathlib.Path
) -> None:
    path = pathlib.Path(__file__).parents[1] / "programs" / "supervised_services.py"
    new = migrate_text(path.read_text())
    text = new.text
    if at_fault:  # A step from before the run, as TF1's fetched one is.
        text = text.replace("summary, replicas.global_step.numpy()", "summary, step")
        assert text != new.text
    (tmp_path / "program.py").write_text(text)
    emitted.write(new.support, tmp_path)
    out = tmp_path / "out"
    ended = processes.run_tasks(
        sys.executable,
        tmp_path / "program.py",
        [f"--dir={out}"],
        out,
        environment=ENVIRONMENT,
        preloaded=True,
    )
    assert "beats: ['beat'] True" in ended[-1].output
    found = _summaries(out / "logs")
    assert [x[:2] for x in found] == [x[:2] for x in RECORDED] or at_fault
    # Float32 losses of order 1, written with six digits.
    worst = max(abs(a[2] - b[2]) for a, b in zip(found, RECORDED, strict=True))
    assert (found != RECORDED) if at_fault else worst <= 2e-6
    assert set(SAVED) <= {p.name for p in (out / "logs").iterdir()}
