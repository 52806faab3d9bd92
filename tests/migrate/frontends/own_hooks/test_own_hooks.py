"""Hooks of a session program's own: what is written for them, and what is refused."""

from __future__ import annotations

import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.migration import Migration

_PROGRAM = """\
import tensorflow as tf

{hook}

def main():
    x = tf.placeholder(tf.float32, [None, 3])
    rate = tf.placeholder_with_default(0.1, [])
    w = tf.get_variable("w", [3, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    error = tf.sqrt(loss)
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)
    {made}
    with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
        while not sess.should_stop():
            sess.run(train_op, {{x: [[1.0, 2.0, 3.0]]}})
"""
_LOSS = """
class Hook(tf.train.SessionRunHook):
    def __init__(self, loss=None):
        self._loss = loss

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss)
"""


def _migrated(hook: str, made: str = "hooks = [Hook()]") -> Migration:
    text = _PROGRAM.format(hook=textwrap.dedent(hook).strip() + "\n", made=made)
    return migrate_text(text)


def _refused(migration: Migration) -> list[Finding]:
    found = [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    return [f for f in found if f.code != "N100"]


def _methods(*lines: str) -> str:
    """A hook with these methods' lines."""
    body = "\n".join(f"    {line}" for line in lines)
    return f"class Hook(tf.train.SessionRunHook):\n{body}\n"


@pytest.mark.parametrize(
    ("made", "hooks", "observed"),
    [
        ("Hook(loss)", 'Hook("loss")', '{"loss": loss}'),
        ("Hook(loss=loss)", 'Hook(loss="loss")', '{"loss": loss}'),
        ("Hook([loss, error])", 'Hook(["loss", "error"])', '"error": error'),
        (
            "Hook({'a': (loss, step)})",
            'Hook({\'a\': ("loss", "step")})',
            '"step": step',
        ),
        (
            "Hook(tf.train.get_global_step())",
            'Hook("global_step")',
            '{"global_step": replicas.global_step}',
        ),
        ("Hook(w)", 'Hook("w")', '{"w": w}'),
        ("Hook(x)", 'Hook("x")', '{"x": x}'),
    ],
)
def test_tensors_become_names(made: str, hooks: str, observed: str) -> None:
    migration = _migrated(_LOSS, f"hooks = [{made}]")
    assert not _refused(migration)
    assert f"hooks = [{hooks}]" in migration.text
    assert observed in migration.text
    assert "class Hook(training_session.SessionRunHook):" in migration.text
    assert "training_session.SessionRunArgs(self._loss)" in migration.text


def test_what_is_written_out_elsewhere_is_written_as_names() -> None:
    made = 'tensors = {"loss": loss, "error": error}\n    hooks = [Hook(tensors)]'
    migration = _migrated(_LOSS, made)
    assert not _refused(migration)
    assert 'hooks = [Hook({"loss": "loss", "error": "error"})]' in migration.text


def test_a_hook_that_no_session_is_given_changes_no_step() -> None:
    migration = _migrated(_LOSS, "hooks = []")
    assert not _refused(migration)
    assert "observe" not in migration.text


def test_a_run_that_reads_is_one_that_hooks_see() -> None:
    hook = _methods("def after_run(self, run_context, run_values): print('run')")
    text = _PROGRAM.format(hook=hook, made="hooks = [Hook()]")
    text = text.rstrip() + "\n            print(sess.run(step))\n"
    assert "print(sess.run(compute_step))" in migrate_text(text).text
    without = text.replace("[Hook()]", "[]").replace(hook, "")
    assert "print(step.numpy())" in migrate_text(without).text


_CONTEXT = "def before_run(self, run_context):"
_AFTER = "def after_run(self, run_context, run_values):"


@pytest.mark.parametrize(
    ("hook", "made", "reason"),
    [
        (_LOSS, "hooks = [Hook('loss:0')]", "names a tensor by a string, 'loss:0'"),
        (_LOSS, "hooks = [Hook(loss * 2.0)]", "the call of the hook computes"),
        (_LOSS, "hooks = [Hook(train_op)]", "runs an operation `train_op`"),
        (_LOSS, "hooks = [Hook(3)]", "but no step of the session computes it"),
        (
            _LOSS,
            "hooks = [Hook(loss)]\n    loss = loss + 1.0",
            "and this name has several values",
        ),
        (
            _LOSS,
            "hooks = [Hook(**{'loss': loss})]",
            "cannot tell the hook's arguments apart",
        ),
        (
            _LOSS + "\n    def end(self, session):\n        print(self._loss.name)\n",
            "hooks = [Hook(loss)]",
            "does more with `self._loss` than to fetch it",
        ),
        (
            _LOSS.replace("= loss\n", "= [loss]\n"),
            "hooks = [Hook(loss)]",
            "and the tool cannot tell which step computes it",
        ),
        (
            _LOSS + "\n\nclass Other(Hook):\n    pass\n",
            "hooks = [Other(loss)]",
            "derives from another hook",
        ),
        (
            _methods("def begin(self): self._x = tf.zeros([3])"),
            "hooks = [Hook()]",
            "`tf.zeros`, which works only on a graph",
        ),
        (
            _methods("def after_create_session(self, session, coord): coord.join()"),
            "hooks = [Hook()]",
            "its session's coordinator",
        ),
        (
            _methods("def end(self, session): print(session.graph)"),
            "hooks = [Hook()]",
            "`session.graph`, of a graph session",
        ),
        (
            _methods(f"{_CONTEXT} print(run_context.original_args)"),
            "hooks = [Hook()]",
            "of a graph session",
        ),
        (
            _methods(f"{_AFTER} print(run_values.run_metadata)"),
            "hooks = [Hook()]",
            "of a graph session",
        ),
        (
            _methods(f"{_AFTER} print(run_context)"),
            "hooks = [Hook()]",
            "passes `run_context` to other code",
        ),
        (
            _methods("def end(self, session): evaluate(session)"),
            "hooks = [Hook()]",
            "passes `session` to other code",
        ),
        (
            _methods(f"{_CONTEXT} return tf.train.SessionRunArgs(None, options=4)"),
            "hooks = [Hook()]",
            "cannot tell what a hook requests",
        ),
        (
            _LOSS.replace("(self._loss)\n", "(None, feed_dict={self._loss: 1.0})\n"),
            "hooks = [Hook(rate)] if main else []",
            "feeds only some steps, or only under a condition",
        ),
        (
            _LOSS.replace("(self._loss)\n", "(None, feed_dict={self._loss: 1.0})\n"),
            "hooks = [Hook(error)]",
            "is not a placeholder",
        ),
        (
            _LOSS + "\n    def end(self, session):\n        session.run(self._loss)\n",
            "hooks = [Hook(loss)]",
            "runs more than variables in its session",
        ),
    ],
)
def test_is_refused(hook: str, made: str, reason: str) -> None:
    migration = _migrated(hook, made)
    refused = _refused(migration)
    assert {f.code for f in refused} == {"H122"}
    assert any(reason in f.reason for f in refused)
    for finding in refused:
        assert "class Name(tf.train.SessionRunHook)" in finding.recipe
        assert "def on_train_batch_end(self, batch, logs=None)" in finding.recipe


def test_a_tensor_in_a_method_is_refused() -> None:
    text = _PROGRAM.format(
        hook="",
        made="class Hook(tf.train.SessionRunHook):\n"
        "        def begin(self):\n"
        "            print(loss.name)\n"
        "    hooks = [Hook()]",
    )
    (finding,) = _refused(migrate_text(text))
    assert finding.code == "H122" and "`loss` is a tensor of the step" in finding.reason


_SYNCHRONOUS = """\
import sys
import tensorflow as tf

class Hook(tf.train.SessionRunHook):
    def __init__(self, rate):
        self._rate = rate

    def after_run(self, run_context, run_values):
        self._rate.load(0.1, run_context.session)

cluster = tf.train.ClusterSpec({"ps": sys.argv[3:4], "worker": sys.argv[4:]})
server = tf.train.Server(cluster, job_name=sys.argv[1], task_index=int(sys.argv[2]))
if sys.argv[1] == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 1])
    rate = tf.get_variable("rate", [], trainable=False)
    loss = rate * tf.reduce_mean(tf.square(tf.matmul(x, w)))
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    optimizer = tf.train.SyncReplicasOptimizer(optimizer, 2)
    train_op = optimizer.minimize(loss, global_step=step)
hooks = [Hook(rate), optimizer.make_session_run_hook(int(sys.argv[2]) == 0)]
with tf.train.MonitoredTrainingSession(
        master=server.target, is_chief=int(sys.argv[2]) == 0, hooks=hooks) as sess:
    while not sess.should_stop():
        sess.run(train_op, {x: [[1.0, 2.0, 3.0]]})
"""


def test_values_are_set_where_workers_do_not_keep_pace() -> None:
    """Every worker that keeps pace has the variable; TF1's shared one."""
    (finding,) = _refused(migrate_text(_SYNCHRONOUS))
    assert finding.code == "H122" and "synchronous worker" in finding.reason
    alone = _SYNCHRONOUS.replace(
        "optimizer = tf.train.SyncReplicasOptimizer(optimizer, 2)\n    ", ""
    ).replace(", optimizer.make_session_run_hook(int(sys.argv[2]) == 0)", "")
    migration = migrate_text(alone)
    assert not _refused(migration)
    assert "run_context.session.load(self._rate, 0.1)" in migration.text


_FEEDS = """
class Hook(tf.train.SessionRunHook):
    def __init__(self, rate):
        self._rate = rate
        self._runs = 0

    def before_run(self, run_context):
        self._runs += 1
        BODY
"""
_FED = "tf.train.SessionRunArgs(None, feed_dict={self._rate: 0.1 / self._runs})"


@pytest.mark.parametrize(
    ("body", "every"),
    [
        (f"return {_FED}", True),
        (f"fed = {_FED}\n        return fed", True),
        (f"return {_FED} if self._runs < 2 else None", False),
        (f"return self._runs < 2 and {_FED}", False),
        (f"if self._runs < 2:\n            return {_FED}", False),
        (f"fed = {_FED} if self._runs < 2 else None\n        return fed", False),
        (
            f"fed = {_FED}\n        if self._runs > 1:\n            fed = None\n"
            "        return fed",
            False,
        ),
        (f"fed = {_FED}\n        return None", False),
        (f"self._fed = {_FED}\n        return None", False),
    ],
)
def test_a_hook_feeds_every_step_or_is_refused(body: str, every: bool) -> None:
    done = _migrated(_FEEDS.replace("BODY", body), "hooks = [Hook(rate)]")
    told = _refused(done)
    assert bool(told) is not every
    if every:
        assert 'training_session.Fed("rate")' in done.text
    else:
        assert told[0].code == "H122" and "feeds only some steps" in told[0].reason


def test_a_file_without_a_program_is_told_what_a_hook_can_be() -> None:
    (finding, *_) = _refused(migrate_text("import tensorflow as tf\n" + _LOSS))
    assert finding.code == "N150"
    assert "def on_train_batch_end(self, batch, logs=None)" in finding.recipe
