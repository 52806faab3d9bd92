"""No argument of a construct of TensorFlow 1 disappears without a word.

Each case is migrated with an argument and without it. The result must differ, or a finding must
speak of it, or the program must be refused. `NOTHING` has the arguments that mean nothing in
TensorFlow 2, with the reasons.
"""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.migration import Migration

HEAD = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.0))
step = tf.train.get_or_create_global_step()
tf.summary.scalar("loss", loss)
"""
TRAIN = "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)\n"
FEED = "{x: [[1.0, 2.0, 3.0]]}"


def _run_plain(graph: str, each: str = "", session: str = "tf.Session()") -> str:
    return f"""{HEAD}{graph}
with {session} as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([train, loss], {FEED}))
        {each}
"""


def _run_monitored(arguments: str, hook: str = "", before: str = "") -> str:
    hooks = f"hooks=[{hook}tf.train.StopAtStepHook(last_step=3)]"
    return f"""{HEAD}{TRAIN}{before}
with tf.train.MonitoredTrainingSession({hooks}, {arguments}) as sess:
    while not sess.should_stop():
        print(sess.run([train, loss], {FEED}))
"""


def _supervise(arguments: str) -> str:
    return f"""{HEAD}{TRAIN}
init = tf.assign(w, tf.ones([3, 1]))
sv = tf.train.Supervisor(logdir="d"{arguments})
with sv.managed_session() as sess:
    for i in range(3):
        print(sess.run([train, loss], {FEED}))
"""


def _write_summaries(made: str, writer: str = '"d"') -> str:
    graph = f"{TRAIN}{made}\nwriter = tf.summary.FileWriter({writer})"
    return _run_plain(graph, f"writer.add_summary(sess.run(merged, {FEED}), i)")


_MERGED = "merged = tf.summary.merge_all()"
_OPTIMIZER = "opt = tf.train.GradientDescentOptimizer(0.1)\n"
_OWN_SAVER = "tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=2))"
_GETTER = "lambda get, *a, **k: get(*a, **k)"
_CLIP = "lambda t: tf.clip_by_value(t, 0.0, 1.0)"
_DECAY = "tf.contrib.layers.l2_regularizer(0.1)"
_SCAFFOLD = "init = tf.assign(w, tf.ones([3, 1]))\nscaffold = tf.train.Scaffold({})"

# Of each construct: the program around its arguments "{}", the arguments that it always has,
# and those of the cases.
CONSTRUCTS: dict[str, tuple[str, str, dict[str, str]]] = {
    "MonitoredTrainingSession": (
        _run_monitored("{}"),
        "",
        {
            "master": '"grpc://a:1"',
            "is_chief": "False",
            "checkpoint_dir": '"d"',
            "scaffold": _OWN_SAVER,
            "chief_only_hooks": "[tf.train.StopAtStepHook(last_step=2)]",
            "save_checkpoint_secs": "7",
            "save_checkpoint_steps": "9",
            "save_summaries_steps": "3",
            "save_summaries_secs": "9",
            "summary_dir": '"s"',
            "log_step_count_steps": "7",
            "config": "tf.ConfigProto(log_device_placement=True)",
            "stop_grace_period_secs": "3",
            "max_wait_secs": "5",
        },
    ),
    "Scaffold": (
        _run_monitored("scaffold=scaffold", before=_SCAFFOLD),
        "",
        {
            "init_op": "init",
            "init_feed_dict": "{w: input()}",
            "init_fn": "lambda scaffold, session: session.run(init)",
            "ready_op": "init",
            "ready_for_local_init_op": "init",
            "local_init_op": "init",
            "summary_op": "init",
            "saver": "tf.train.Saver(max_to_keep=2)",
            "copy_from_scaffold": "tf.train.Scaffold()",
        },
    ),
    "Supervisor": (
        _supervise("{}"),
        "",
        {
            "is_chief": "False",
            "init_op": "init",
            "init_feed_dict": "{w: input()}",
            "init_fn": "lambda session: session.run(init)",
            "ready_op": "init",
            "ready_for_local_init_op": "init",
            "local_init_op": "init",
            "summary_op": "None",
            "saver": "None",
            "save_summaries_secs": "9",
            "save_model_secs": "9",
            "checkpoint_basename": '"m"',
            "summary_writer": "None",
            "recovery_wait_secs": "9",
            "stop_grace_secs": "9",
        },
    ),
    **{
        name: (_run_monitored("", hook=f"tf.train.{name}({{}}), "), always, given)
        for name, always, given in (
            (
                "CheckpointSaverHook",
                '"d"',
                {
                    "save_secs": "3",
                    "save_steps": "2",
                    "saver": "tf.train.Saver([w])",
                    "checkpoint_basename": '"m"',
                    "scaffold": _OWN_SAVER,
                    "listeners": "[tf.train.CheckpointSaverListener()]",
                },
            ),
            (
                "SummarySaverHook",
                "summary_op=tf.summary.merge_all()",
                {
                    "save_steps": "2",
                    "save_secs": "3",
                    "output_dir": '"o"',
                    "summary_writer": 'tf.summary.FileWriter("p")',
                },
            ),
            (
                "LoggingTensorHook",
                "[loss]",
                {
                    "every_n_iter": "2",
                    "every_n_secs": "3",
                    "at_end": "True",
                    "formatter": 'lambda values: "x"',
                },
            ),
            (
                "StepCounterHook",
                "",
                {
                    "every_n_steps": "2",
                    "every_n_secs": "3",
                    "output_dir": '"o"',
                    "summary_writer": 'tf.summary.FileWriter("p")',
                },
            ),
            ("NanTensorHook", "loss", {"fail_on_nan_loss": "False"}),
            ("StopAtStepHook", "", {"num_steps": "2", "last_step": "2"}),
        )
    },
    "Session": (
        _run_plain(TRAIN, session="tf.Session({})"),
        "",
        {
            "target": '"grpc://a:1"',
            "graph": "tf.Graph()",
            "config": "tf.ConfigProto(allow_soft_placement=True)",
        },
    ),
    "Saver": (
        _run_plain(
            f"{TRAIN}saver = tf.train.Saver({{}})", 'saver.save(sess, "d/m", i)'
        ),
        "",
        {
            "var_list": "[w]",
            "reshape": "True",
            "sharded": "True",
            "max_to_keep": "1",
            "keep_checkpoint_every_n_hours": "0.5",
            "name": '"n"',
            "restore_sequentially": "True",
            "defer_build": "True",
            "allow_empty": "True",
            "write_version": "tf.train.SaverDef.V1",
            "pad_step_number": "True",
            "save_relative_paths": "True",
            "filename": '"f"',
        },
    ),
    "Saver.save": (
        _run_plain(f"{TRAIN}saver = tf.train.Saver()", "print(saver.save({}))"),
        'sess, "d/m"',
        {
            "global_step": "i",
            "latest_filename": '"l"',
            "meta_graph_suffix": '"mm"',
            "write_meta_graph": "False",
            "write_state": "False",
            "strip_default_attrs": "True",
        },
    ),
    **{
        name: (
            _run_plain(f"train = tf.train.{name}({{}}).minimize(loss, step)"),
            always,
            {"use_locking": "True", "name": '"opt"', **given},
        )
        for name, always, given in (
            ("MomentumOptimizer", "0.1, 0.9", {"use_nesterov": "True"}),
            (
                "AdamOptimizer",
                "0.1",
                {"beta1": "0.5", "beta2": "0.9", "epsilon": "0.1"},
            ),
            (
                "RMSPropOptimizer",
                "0.1",
                {"decay": "0.5", "momentum": "0.3", "centered": "True"},
            ),
            (
                "FtrlOptimizer",
                "0.1",
                {"l1_regularization_strength": "0.1", "accum_name": '"acc"'},
            ),
        )
    },
    "minimize": (
        _run_plain(f"{_OPTIMIZER}train = opt.minimize({{}})"),
        "loss",
        {
            "global_step": "step",
            "var_list": "[w]",
            "gate_gradients": "tf.train.Optimizer.GATE_GRAPH",
            "aggregation_method": "tf.AggregationMethod.ADD_N",
            "colocate_gradients_with_ops": "True",
            "name": '"up"',
            "grad_loss": "tf.constant(2.0)",
        },
    ),
    "apply_gradients": (
        _run_plain(
            f"{_OPTIMIZER}pairs = opt.compute_gradients(loss)\n"
            "train = opt.apply_gradients({})"
        ),
        "pairs",
        {"global_step": "step", "name": '"up"'},
    ),
    "gradients": (
        _run_plain(
            f"{_OPTIMIZER}found = tf.gradients({{}})\n"
            "train = opt.apply_gradients(zip(found, [w]))"
        ),
        "loss, [w]",
        {
            "grad_ys": "[tf.constant(2.0)]",
            "name": '"gr"',
            "gate_gradients": "True",
            "stop_gradients": "[b]",
            "unconnected_gradients": "tf.UnconnectedGradients.ZERO",
        },
    ),
    "ExponentialMovingAverage": (
        _run_plain(
            f"update = {_OPTIMIZER[6:-1]}.minimize(loss, step)\n"
            "ema = tf.train.ExponentialMovingAverage({})\n"
            "with tf.control_dependencies([update]):\n    train = ema.apply([w])",
            "print(sess.run(ema.average(w)))",
        ),
        "0.9",
        {"num_updates": "step", "zero_debias": "True", "name": '"E"'},
    ),
    "get_variable": (
        _run_plain(
            "v = tf.get_variable({})\nloss = loss + tf.reduce_sum(tf.cast(v, w.dtype))\n"
            + TRAIN
        ),
        '"v", [2]',
        {
            "dtype": "tf.float64",
            "initializer": "tf.ones_initializer()",
            "regularizer": _DECAY,
            "trainable": "False",
            "collections": '["own"]',
            "caching_device": '"/cpu:0"',
            "validate_shape": "False",
            "use_resource": "True",
            "custom_getter": _GETTER,
            "constraint": _CLIP,
        },
    ),
    "Variable": (
        _run_plain(f"v = tf.Variable({{}})\nloss = loss + tf.reduce_sum(v)\n{TRAIN}"),
        "[1.0, 2.0]",
        {
            "trainable": "False",
            "collections": '["own"]',
            "validate_shape": "False",
            "name": '"n"',
            "dtype": "tf.float32",
            "expected_shape": "[2]",
            "constraint": _CLIP,
        },
    ),
    "variable_scope": (
        _run_plain(
            "with tf.variable_scope({}):\n    v = tf.get_variable('v', [2])\n"
            f"loss = loss + tf.reduce_sum(tf.cast(v, w.dtype))\n{TRAIN}"
        ),
        '"scope"',
        {
            "initializer": "tf.ones_initializer()",
            "regularizer": _DECAY,
            "custom_getter": _GETTER,
            "dtype": "tf.float64",
            "constraint": _CLIP,
            "reuse": "True",
        },
    ),
    "FileWriter": (
        _write_summaries(_MERGED, "{}"),
        '"d"',
        {
            "graph": "tf.get_default_graph()",
            "max_queue": "3",
            "flush_secs": "2",
            "filename_suffix": '".x"',
        },
    ),
    "merge_all": (
        _write_summaries("merged = tf.summary.merge_all({})"),
        "",
        {"key": '"own"', "scope": '"sc"'},
    ),
    "summary.scalar": (
        _write_summaries(f"tf.summary.scalar({{}})\n{_MERGED}"),
        '"l2", loss',
        {"collections": '["own"]', "family": '"fam"'},
    ),
    "Print": (
        _run_plain(f"loss = tf.Print({{}})\n{TRAIN}"),
        "loss, [loss]",
        {"message": '"m"', "first_n": "2", "summarize": "1"},
    ),
    "layers.dense": (
        _run_plain(f"loss = loss + tf.reduce_sum(tf.layers.dense({{}}))\n{TRAIN}"),
        "x, 2",
        {
            "activation": "tf.nn.relu",
            "use_bias": "False",
            "kernel_initializer": "tf.ones_initializer()",
            "kernel_regularizer": _DECAY,
            "activity_regularizer": _DECAY,
            "kernel_constraint": _CLIP,
            "trainable": "False",
            "name": '"n"',
        },
    ),
}
_NAME = "the name of an operation, which nothing reads"
_SAME = "another way to compute the same"
# Arguments that may go without a word, and why.
NOTHING = {
    "MonitoredTrainingSession.stop_grace_period_secs": "for threads of queues",
    "MonitoredTrainingSession.max_wait_secs": "workers do not wait for the chief",
    "Supervisor.recovery_wait_secs": "workers do not wait for the chief",
    "Supervisor.stop_grace_secs": "for threads of queues",
    "Saver.sharded": _SAME,
    "Saver.name": _NAME,
    "Saver.restore_sequentially": _SAME,
    "Saver.allow_empty": "these programs have variables",
    "minimize.colocate_gradients_with_ops": "a place",
    "minimize.name": _NAME,
    "gradients.name": _NAME,
    "gradients.gate_gradients": _SAME,
    "get_variable.use_resource": "variables of TensorFlow 2 are resources",
    "FileWriter.max_queue": "when it writes",
    "FileWriter.flush_secs": "when it writes",
}
CASES = [(c, a) for c, (_, _, given) in CONSTRUCTS.items() for a in given]


def _migrate(construct: str, argument: str = "") -> Migration:
    program, always, given = CONSTRUCTS[construct]
    parts = [always] if always else []
    if argument:
        parts.append(f"{argument}={given[argument]}")
    shown = ", ".join(parts)
    if construct == "Supervisor" and shown:
        shown = f", {shown}"
    return migrate_text(program.replace("{}", shown))


def _list_reasons(findings: tuple[Finding, ...]) -> set[tuple[str, str, str]]:
    return {(f.code, f.outcome.value, f.reason) for f in findings}


def is_told(construct: str, argument: str) -> bool:
    """Whether an argument changes the result, or a finding speaks of it."""
    bare, given = _migrate(construct), _migrate(construct, argument)
    new = _list_reasons(given.findings) - _list_reasons(bare.findings)
    return given.text != bare.text or bool(new)


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_the_program_is_migrated_without_it(construct: str) -> None:
    refused = [
        f.reason
        for f in _migrate(construct).findings
        if f.outcome in (Outcome.REFUSED, Outcome.FAILED)
    ]
    assert not refused


@pytest.mark.parametrize(("construct", "argument"), CASES)
def test_an_argument_is_told_or_means_nothing(construct: str, argument: str) -> None:
    silent = f"{construct}.{argument}" in NOTHING
    assert is_told(construct, argument) is not silent


# -- a planted fault --------------------------------------------------------------------


def test_an_operation_that_is_lost_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "migrate.facts.initial_operations.does_more", lambda *given: False
    )
    assert not is_told("Scaffold", "init_op")
