"""Every argument, attribute and method of a Supervisor: kept, mapped or refused."""

from __future__ import annotations

import pathlib
import sys

import pytest
import tensorflow as tf

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.tables import supervisor as table
from reference import processes
from tests.migrate.frontends.sessions.test_programs import ENVIRONMENT

PROGRAM = """\
import functools
import tensorflow as tf
import tensorflow.contrib.slim as slim
def load(saver, session):
    saver.restore(session, "path")
def runs(saver, session):
    load(saver, session)
    print(session.run(w))
def made(saver):
    def start(session):
        load(saver, session)
    return start if saver else None
def made_otherwise(saver):
    return lambda session: runs(saver, session)
def help(sv, sess):
    print(sv.should_stop())
def look(session, what):
    print(what, session.run(w), session.run(gs))
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
    norms = tf.summary.merge([tf.summary.scalar("norm", tf.norm(w))])
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
BEGIN = """
def begin(sess):
    given.restore(sess, "pretrained")
sv = """
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
    "init_feed_dict={x: xs}": "",
    "init_feed_dict={x: some()}": REFUSED,
    "init_feed_dict=feeds": REFUSED,
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
    "session_manager=tf.train.SessionManager()": "",
    "session_manager=tf.train.SessionManager(recovery_wait_secs=1)": "",
    "session_manager=tf.train.SessionManager(graph=other)": REFUSED,
    "session_manager=own": REFUSED,
    "summary_writer=None": NO_SUMMARIES,
    "summary_writer=writer": "SummarySaverHook(save_secs=120, summary_writer=writer, "
    'summary_op="sv_summary_op")',
    "init_fn=None": "",
    "init_fn=begin": "scaffold=training_session.Scaffold("
    "init_fn=lambda scaffold, session: begin(session))",
    'init_fn=lambda s: given.restore(s, "a")': "init_fn=lambda scaffold, s: ",
    "init_fn=start": REFUSED,
    "init_fn=lambda s: s.run(init)": REFUSED,
    "init_fn=of_a_function()": REFUSED,
    "init_fn=functools.partial(load, given)": "init_fn=lambda scaffold, session: "
    "load(given, session)",
    "init_fn=functools.partial(load, some())": REFUSED,
    "init_fn=functools.partial(runs, given)": REFUSED,
    "init_fn=made(given)": "sv_init_fn = made(given)",
    "init_fn=made_otherwise(given)": REFUSED,
    'init_fn=slim.assign_from_checkpoint_fn("path", [w])': "def "
    "sv_init_fn(session): sv_init_fn_saver.restore(session, sv_init_fn_path)",
    'init_fn=slim.assign_from_checkpoint_fn("path", [w], True)': REFUSED,
    "local_init_run_options=None": "",
}
# A statement of the loop -> what the migrated program has for it.
INSIDE = {
    "sv.request_stop()": "sess.request_stop()",
    "sv.RequestStop()": "sess.request_stop()",
    "sv.coord.request_stop()": "sess.request_stop()",
    "print(sv.coord.should_stop())": "print(sess.should_stop())",
    "sv.coord.join([])": "",
    "sv.coord.wait_for_stop()": "sess.wait_for_stop()",
    "sv.coord.wait_for_stop(3)": REFUSED,
    "sv.stop()": "",
    "sv.start_queue_runners(sess)": "",
    "sv.start_standard_services(sess)": "",
    "sv.wait_for_stop()": "sess.wait_for_stop()",
    "sv.stop_on_exception()": "sess.stop_on_exception()",
    "threads = sv.start_queue_runners(sess)\n        sv.coord.join(threads)": "threads = []",
    "threads = sv.start_queue_runners(sess)\n        print(len(threads))": REFUSED,
    "help(sv, sess)": "print(sess.should_stop())",
    "sv.session_manager.recover_session('')": REFUSED,
    "sv.summary_computed(sess, summary, 3)": "sv_summary_writer.add_summary(summary, 3)",
    "sv.SummaryComputed(sess, summary)": "sv_summary_writer.add_summary(summary, "
    "gs.numpy())",
    "sv.summary_writer.flush()": "sv_summary_writer.flush()",
    "sv.saver.save(sess, sv.save_path)": 'sv_saver.save(sess, ("logs" + "/model.ckpt"))',
    "print(sv.is_chief)": "print((task_index == 0))",
    "print(sess.run(sv.global_step))": "gs",
    "sv.loop(60, lambda: print('alive'))": "sess.loop(60, lambda: print('alive'))",
    "sv.Loop(60, lambda n: print(n), (1,))": "sess.loop(60, lambda n: print(n), (1,))",
    "sv.loop(60, lambda: print(sess.run(gs)))": "sess.loop(60, lambda: print(gs.numpy()))",
    "sv.loop(60, lambda: sv.summary_computed(sess, sess.run(norms)))": "sess.loop(60, "
    "lambda: sv_summary_writer.add_summary(sess.run(compute_norms), gs.numpy()))",
    "sv.loop(60, lambda: sess.run(train_op, {x: xs}))": REFUSED,
    "sv.loop(60, look, (sess, 'now'))": "def look(): print('now', w.numpy(), gs.numpy()) "
    "sess.loop(60, look)",
    "sv.loop(60, lambda: look(sess, 'now'))": "sess.loop(60, look)",
    "sv.loop(60, functools.partial(look, sess), ('now',))": "sess.loop(60, look)",
    "sv.loop(60, look, (sess, len(xs)))": "def look(what): print(what, w.numpy(), "
    "gs.numpy()) sess.loop(60, look, (len(xs),))",
    "sv.loop(60, look, [sess, 'now'])": "sess.loop(60, look)",
    "sv.loop(60, look, some)": REFUSED,
    "sv.loop(60, unknown)": REFUSED,
    "thread = sv.loop(60, lambda: print('alive'))": REFUSED,
    "print(sv)": REFUSED,
}


def test_what_variables_begin_as_is_not_fed() -> None:
    text = PROGRAM.replace('tf.get_variable("w", [3, 1])', "tf.Variable(x[:1])")
    text = text.replace("MORE", ", init_feed_dict={x: xs}")
    assert any(f.outcome is Outcome.REFUSED for f in migrate_text(text).findings)


def _migrated(more: str = "", inside: str = "pass") -> tuple[str, bool]:
    text = PROGRAM.replace("MORE", f", {more}" if more else "")
    if "begin" in more:
        text = text.replace("sv = ", BEGIN.strip("\n"), 1)
    new = migrate_text(text.replace("pass  # INSIDE", inside))
    outcomes = {f.outcome for f in new.findings}
    assert Outcome.FAILED not in outcomes
    return " ".join(new.text.split()), Outcome.REFUSED not in outcomes


def test_the_plain_one_is_migrated() -> None:
    text, done = _migrated()
    assert done and 'checkpoint_dir="logs"' in text and "Supervisor" not in text


def test_one_among_tabs_keeps_them() -> None:
    head, made = PROGRAM.replace("MORE", "").split("cluster = ", 1)
    made = f"cluster = {made}".replace("    ", "\t")
    made = made.replace("pass  # INSIDE", "sv.summary_computed(sess, summary)")
    body = "".join(f"\t{line}\n" for line in made.splitlines())
    new = migrate_text(f"{head}def main():\n{body}main()\n")
    assert {f.outcome for f in new.findings} <= {Outcome.REWRITTEN, Outcome.KEPT}
    assert "Supervisor" not in new.text and "add_summary" in new.text


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
        PROGRAM.replace("MORE", "").replace(
            "pass  # INSIDE", "sv.session_manager.graph"
        )
    )
    assert any(f.code == "N120" and "session_manager" in f.reason for f in new.findings)


# What TensorFlow 1.15.5 wrote for tests/programs/clustered/supervised_services.py, one ps and one
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
    path = (
        pathlib.Path(__file__).parents[3]
        / "programs"
        / "clustered"
        / "supervised_services.py"
    )
    new = migrate_text(path.read_text())
    text = new.text
    if at_fault:  # A step from before the run, as TF1's fetched one is.
        text = text.replace("summary, global_step.numpy()", "summary, step")
        assert text != new.text
    (tmp_path / "program.py").write_text(text)
    beside.write(tmp_path, text)
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


ALONE = pathlib.Path(__file__).parents[3] / "programs" / "alone"
KEPT = (ALONE / "supervisor_of_self.py").read_text()
BLOCK = "        with self._sv.managed_session() as sess:\n"


def _n120(text: str) -> bool:
    return "N120" in {
        f.code for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED
    }


def test_a_supervisor_that_an_object_keeps() -> None:
    assert not _n120(KEPT)
    made = KEPT[KEPT.index("        self._sv = ") : KEPT.index("    def batch")]
    there = made.replace("model.", "self.model.").replace("=logdir", "=self.train_dir")
    text = KEPT.replace(made, "\n").replace(BLOCK, there.rstrip() + "\n" + BLOCK)
    assert not _n120(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Used by two methods, by others, made before the graph is complete, or of what
        # is the constructor's alone.
        (
            "    def batch(self, size=8):\n",
            "    def batch(self, size=8):\n        self._sv.stop()\n",
        ),
        (
            "trainer.train(10, log)\n",
            "trainer.train(10, log)\nprint(trainer._sv.save_path)\n",
        ),
        (
            "save_model_secs=600)\n",
            "save_model_secs=600)\n        self.extra = tf.Variable(1.0)\n",
        ),
        ("        self.train_dir = logdir\n", ""),
    ],
)
def test_a_supervisor_that_is_not_one_method_s(old: str, new: str) -> None:
    assert KEPT.count(old) == 1
    assert _n120(KEPT.replace(old, new))


_OBJECT = """\
import tensorflow as tf


class Trainer(object):
    def __init__(self, logdir, chief):
        self.step = tf.train.get_or_create_global_step()
        w = tf.get_variable("w", [2])
        self.loss = tf.reduce_sum(tf.square(w))
        self.train_op = tf.train.AdamOptimizer(0.1).minimize(self.loss, self.step)
        {sv} = tf.train.Supervisor(
            logdir=logdir, is_chief=chief, global_step=self.step, summary_op=None)
        {sess} = {sv}.prepare_or_wait_for_session()

    def train(self):
        while not {stop}:
            print({sess}.run([self.train_op, self.loss])[1])

    def again(self):
        return {sess}.run(self.loss)


trainer = Trainer("logs", True)
trainer.train()
print(trainer.again())
"""


def _of_object(sv: str, sess: str, stop: str, more: str = "") -> set[str]:
    names = {"{sv}": sv, "{sess}": sess, "{stop}": stop}
    text = _OBJECT
    for name, value in names.items():
        text = text.replace(name, value)
    migration = migrate_text(text + more)
    return {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}


@pytest.mark.parametrize(
    "stop", ["self.sv.should_stop()", "self.sv.coord.should_stop()"]
)
def test_an_object_has_the_session_too(stop: str) -> None:
    assert _of_object("self.sv", "self.sess", stop) == set()
    assert _of_object("sv", "self.sess", "False") == set()


@pytest.mark.parametrize(
    ("sv", "sess", "stop", "more"),
    [
        # Its arguments are names of where it was made.
        ("self.sv", "self.sess", "self.sv.is_chief", ""),
        # It may be another object's, and a local session is not the method's.
        ("self.sv", "self.sess", "False", "print(trainer.sv.should_stop())\n"),
        ("self.sv", "sess", "self.sv.should_stop()", ""),
        ("sv", "self.sess", "sv.should_stop()", "sv = None\n"),
    ],
)
def test_what_an_object_does_otherwise_stays(
    sv: str, sess: str, stop: str, more: str
) -> None:
    assert "N120" in _of_object(sv, sess, stop, more)


_EVALUATED = """\
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 4])
w = tf.get_variable("w", [4, 1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
count = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=count)
data = np.ones([3, 4])
sv = tf.train.Supervisor(logdir="/tmp/logs")
with sv.prepare_or_wait_for_session() as sess:
    for i in range(6):
        sess.run(train_op, {x: data})
        print(SHOWN)
"""


def _evaluated(shown: str, program: str = _EVALUATED) -> str:
    migration = migrate_text(program.replace("SHOWN", shown))
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    return migration.text


@pytest.mark.parametrize(
    "shown", ["count.eval()", "count.eval(session=sess)", "loss.eval({x: data})"]
)
def test_a_tensor_evaluates_itself_in_its_session(shown: str) -> None:
    """As `sess.run` of it: a variable of TensorFlow 2 has no `eval`."""
    name = shown.partition(".eval(")[0]
    feed = ", {x: data}" if "{" in shown else ""
    assert _evaluated(shown) == _evaluated(f"sess.run({name}{feed})")


def test_a_managed_session_that_is_made_the_default_one() -> None:
    head, loop = _EVALUATED.split("    for i in")
    managed = head.replace("prepare_or_wait_for", "managed")
    inner = "    with sess.as_default():\n" + "".join(
        f"    {line}\n" for line in f"    for i in{loop}".splitlines()
    )
    text = _evaluated("count.eval()", managed + inner)
    assert "as_default" not in text and "count.eval" not in text
    one = managed.replace(" as sess:", " as sess, sess.as_default():")
    other = _evaluated("count.eval()", f"{one}    for i in{loop}")
    assert "as_default" not in other and "count.eval" not in other


def test_an_eval_of_the_program_s_own_stays() -> None:
    own = "class Net(object):\n    def eval(self, n):\n        return n\nnet = Net()\n"
    text = _evaluated("net.eval(i)", _EVALUATED.replace("sv = tf", f"{own}sv = tf"))
    assert "net.eval(i)" in text


def test_a_program_that_is_refused_has_no_fault_of_the_tool_beside() -> None:
    """The tool writes nothing, so nothing that it writes can be wrong."""
    text = """\
import tensorflow as tf
def main(_):
  if FLAGS.job_name == "ps":
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
      weight = tf.get_variable("weight", [1])
      bias = tf.get_variable("bias", [1])
    sv = tf.train.Supervisor(is_chief=FLAGS.task_index == 0)
    with sv.managed_session(server.target) as sess:
      w, b = sess.run([weight, bias])
      print("weight: %f, bias: %f" % (w, b))
"""
    migration = migrate_text(text)
    assert "sv = tf.train.Supervisor(is_chief=FLAGS.task_index == 0)" in migration.text
    assert {f.code for f in migration.findings if f.blocks} == {"C101", "N100"}
    assert "tf.train.Supervisor" in {f.symbol for f in migration.findings if f.blocks}


@pytest.mark.parametrize(
    ("inside", "after", "done"),
    [
        ("sv.request_stop()", "print(sess.run(loss, {x: xs}))", False),
        ("sv.coord.request_stop()", "print(loss.eval({x: xs}, sess))", False),
        ("sv.request_stop()", "print(sess.run(w))", True),
        ("pass", "print(sess.run(loss, {x: xs}))", True),
        ("sv.request_stop()\n        break\n        sess.run(loss, {x: xs})", "", True),
        ("sv.request_stop()\n        sess.run(loss, {x: xs})", "", False),
    ],
)
def test_a_run_after_a_stop_is_refused(inside: str, after: str, done: bool) -> None:
    text = (
        PROGRAM.replace("MORE", "").replace("pass  # INSIDE", inside) + f"    {after}"
    )
    outcomes = {f.outcome for f in migrate_text(text).findings}
    assert Outcome.FAILED not in outcomes
    assert (Outcome.REFUSED not in outcomes) is done
