"""Hooks as callbacks of Keras: what becomes of their code, and which stay hooks."""

from __future__ import annotations

import ast
import pathlib
import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration
from migrate.options import Options
from migrate.run import run_tree

_PROGRAM = """\
import time

import tensorflow as tf

batches = []


{hook}

def model_fn(features, labels, mode):
    logits = tf.layers.dense(features["x"], 3)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={{"logits": logits}})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    right = tf.reduce_mean(tf.to_float(tf.equal(tf.argmax(logits, 1), labels)))
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=train_op, training_hooks=[{given}])


estimator = tf.estimator.Estimator(model_fn{config})
estimator.train(lambda: None, hooks=[{hooks}])
estimator.evaluate(lambda: None, hooks=[{evaluated}])
"""


def _text(
    hook: str, given: str = "", hooks: str = "", evaluated: str = "", config: str = ""
) -> str:
    return _PROGRAM.format(
        hook=textwrap.dedent(hook),
        given=given,
        hooks=hooks,
        evaluated=evaluated,
        config=config,
    )


def _migrated(text: str) -> Migration:
    migration = migrate_text(text)
    loud = (Outcome.REFUSED, Outcome.FAILED)
    assert not [f for f in migration.findings if f.outcome in loud]
    assert migrate_text(migration.text).text == migration.text
    return migration


def _class(migration: Migration) -> str:
    """The class of the hook, as it is written."""
    module = ast.parse(migration.text)
    (found,) = (
        n for n in module.body if isinstance(n, ast.ClassDef) and n.name == "Hook"
    )
    return ast.get_source_segment(migration.text, found) or ""


@pytest.mark.parametrize(
    ("hook", "given", "expected"),
    [
        (  # Values in a row; the step by the session; what is deleted.
            """
            class Hook(tf.train.SessionRunHook):
                def __init__(self, loss):
                    self._loss = loss

                def before_run(self, run_context):
                    del run_context
                    step = tf.train.get_global_step()
                    arguments = tf.train.SessionRunArgs(fetches=[step, self._loss])
                    return arguments

                def after_run(self, run_context, run_values):
                    step, loss = run_values.results
                    print(step, loss)

                def end(self, session):
                    print(tf.train.get_global_step().eval(session=session))
            """,
            "Hook(loss)",
            """\
class Hook(tf_keras.callbacks.Callback):
    def __init__(self, loss):
        super().__init__()
        self._loss = loss

    def on_train_batch_end(self, batch, logs=None):
        step, loss = [self.model.optimizer.iterations.numpy(), logs[self._loss]]
        print(step, loss)

    def on_train_end(self, logs=None):
        print(self.model.optimizer.iterations.numpy())""",
        ),
        (  # Asked for now and then; what is told and what not.
            """
            class Hook(tf.train.SessionRunHook):
                \"\"\"Says how many are right.\"\"\"

                def __init__(self, tensors):
                    super(Hook, self).__init__()
                    self.tensors = tensors
                    self.n = 0

                # Not in every step.
                def before_run(self, run_context):
                    self.n += 1
                    self.due = self.n % 3 == 0
                    if self.due:
                        return tf.train.SessionRunArgs(self.tensors)
                    return None

                def after_run(self, run_context, run_values):
                    if run_values.results is not None:
                        print(run_values.results["right"])
                        for name, value in run_values.results.items():
                            print(name, value)
            """,
            "Hook(dict(right=right, all=loss))",
            """\
class Hook(tf_keras.callbacks.Callback):
    \"\"\"Says how many are right.\"\"\"

    def __init__(self, tensors):
        super(Hook, self).__init__()
        self.tensors = tensors
        self.n = 0

    # Not in every step.
    def on_train_batch_begin(self, batch, logs=None):
        self.n += 1
        self.due = self.n % 3 == 0

    def on_train_batch_end(self, batch, logs=None):
        if self.due:
            print(logs[self.tensors["right"]])
            for name, value in {key: logs[name] for key, name in self.tensors.items()}.items():
                print(name, value)""",
        ),
    ],
)
def test_what_becomes_of_a_hook(hook: str, given: str, expected: str) -> None:
    written = _class(_migrated(_text(hook, given)))
    assert _lines(written) == _lines(expected)


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def test_one_hook_of_training_and_evaluation_has_both_methods() -> None:
    hook = """
    class Hook(tf.train.SessionRunHook):
        def begin(self):
            self.n = 0
        def after_run(self, run_context, run_values):
            self.n += 1
    """
    written = _class(_migrated(_text(hook, hooks="Hook()", evaluated="Hook()")))
    assert "on_test_begin = on_train_begin" in written
    assert "on_test_batch_end = on_train_batch_end" in written


_AFTER = """
class Hook(tf.train.SessionRunHook):
    def after_run(self, run_context, run_values):
        {0}
"""
_ASKS = """
class Hook(tf.train.SessionRunHook):
    def __init__(self, *tensors):
        self.tensors, self.n = tensors, 0
    def before_run(self, run_context):
        {0}
    def after_run(self, run_context, run_values):
        {1}
"""
_STEP = "return tf.train.SessionRunArgs(tf.train.get_global_step())"


@pytest.mark.parametrize(
    ("hook", "where", "reason"),
    [
        (_AFTER.format("print(run_values.results)"), {}, "does not request"),
        (_AFTER.format("self.stop(run_context)"), {}, "passes `run_context` to other code"),
        (_AFTER.format("print(run_context.original_args)"), {}, "original_args"),
        (_AFTER.format("print(run_values.run_metadata)"), {}, "run_metadata"),
        (_AFTER.format("self.model = 1"), {}, "an attribute `model`"),
        (_AFTER.format("self.begin()"), {}, "calls `begin`"),
        (_AFTER.format("batches.append(1); logs = 1"), {}, "uses the name `logs`"),
        (_AFTER.format("print(tf.get_default_graph())"), {}, "needs the graph"),
        (
            _AFTER.format("run_context.request_stop()"),
            {"hooks": "", "evaluated": "Hook()"},
            "no callback stops an evaluation",
        ),
        (
            _AFTER.format("print(run_context.session.run(tf.trainable_variables()))"),
            {},
            "tf.trainable_variables()",
        ),
        (_AFTER.format("pass"), {"hooks": "", "given": ""}, "makes an object of this class"),
        (_AFTER.format("pass"), {"hooks": "*map(Hook, ())"}, "passes the class itself to other code"),
        (
            _ASKS.format(_STEP, "print(run_values.results)"),
            {"config": ", config=tf.estimator.RunConfig(train_distribute=None)"},
            "on several devices",
        ),
        (
            _ASKS.format("if self.n: " + _STEP, "print(run_values.results)"),
            {},
            "values that it may not have",
        ),
        (
            _ASKS.format(
                "if self.n: " + _STEP, "self.n += 1; print(run_values.results)"
            ),
            {},
            "it changes `n` between the request and its use",
        ),
        (
            _ASKS.format("return self.asked()", "pass"),
            {},
            "the tool cannot tell",
        ),
        (
            _ASKS.format(
                "return tf.train.SessionRunArgs(self.tensors)",
                "print(run_values.results)",
            ),
            {},
            "cannot tell which tensor of the step that is",
        ),
        (
            _ASKS.format('return tf.train.SessionRunArgs(self.made)', "pass"),
            {},
            "`self.made`, and the tool cannot tell",
        ),
        (
            """
            class Hook(tf.train.SessionRunHook):
                def begin(self):
                    print("seen")

            class Other(tf.train.SessionRunHook):
                def after_create_session(self, session, coord):
                    print("later")
            """,
            {},
            "after the effects of other hooks",
        ),
        (
            """
            class Hook(tf.train.SessionRunHook):
                def begin(self):
                    self.first = tf.train.latest_checkpoint("saved")
            """,
            {},
            "before it restored variables",
        ),
        (
            """
            class Hook(tf.train.SessionRunHook):
                pass

            class Other(Hook):
                pass
            """,
            {},
            "another class derives from it",
        ),
        (
            """
            class Hook(tf.train.SessionRunHook):
                def __init__(self):
                    self.step = tf.train.get_global_step()
            """,
            {},
            "it uses the model at a time when the model may not exist",
        ),
        (
            """
            class Hook(tf.train.SessionRunHook):
                def __init__(self, loss):
                    self.loss = loss
                def before_run(self, run_context):
                    return tf.train.SessionRunArgs(self.loss)
                def after_run(self, run_context, run_values):
                    print(self.loss.name, run_values.results)
            """,
            {"hooks": "", "given": "Hook(loss)"},
            "more with `self.loss` than to fetch it",
        ),
        (
            """
            class Hook(tf.train.SessionRunHook):
                def __init__(self, loss):
                    self.loss = loss
                def before_run(self, run_context):
                    return tf.train.SessionRunArgs(self.loss)
            """,
            {"hooks": "", "given": "Hook(2 * loss)"},
            "which train_step does not return",
        ),
    ],
)  # fmt: skip
def test_why_a_hook_stays_one(hook: str, where: dict[str, str], reason: str) -> None:
    migration = _migrated(_text(hook, **{"hooks": "Hook()", **where}))
    told = [f for f in migration.findings if f.code == "K131"]
    assert reason in " ".join(f.reason for f in told if f.reason.startswith("Hook "))
    assert "class Hook(estimator_loop.SessionRunHook)" in migration.text


def test_hooks_of_a_model_fn_that_stays_are_hooks() -> None:
    hook = _AFTER.format("pass")
    text = _text(hook, hooks="Hook()").replace(
        'tf.layers.dense(features["x"], 3)',
        'tf.py_func(len, [tf.layers.dense(features["x"], 3)], tf.float32)',
    )
    migration = _migrated(text)
    (told,) = (f for f in migration.findings if f.code == "K131")
    assert "stays a model_fn" in told.reason


def test_hooks_beside_a_ready_made_estimator_are_hooks() -> None:
    text = _text(_AFTER.format("pass"), hooks="Hook()")
    text += "other = tf.estimator.LinearRegressor([])\n"
    told, *_ = (f for f in _migrated(text).findings if f.code == "K131")
    assert "has no Keras model" in told.reason


def test_hooks_are_hooks_where_models_are_to_stay_model_fns() -> None:
    text = _text(_AFTER.format("pass"), hooks="Hook()")
    migration = migrate_text(text, Options(estimators="model_fn"))
    assert "class Hook(estimator_loop.SessionRunHook)" in migration.text
    assert not any(f.code.startswith("K") for f in migration.findings)


@pytest.mark.parametrize("imports", [True, False])
def test_a_hook_that_another_file_has_too_stays_one(
    imports: bool, tmp_path: pathlib.Path
) -> None:
    """There a session calls it."""
    (tmp_path / "task.py").write_text(_text(_AFTER.format("pass"), hooks="Hook()"))
    other = "import tensorflow as tf\n"
    if imports:
        other += "from task import Hook\n\nhooks = [Hook()]\n"
    (tmp_path / "other.py").write_text(other)
    results = {r.path.name: r for r in run_tree([tmp_path], jobs=1)}
    stays = b"class Hook(estimator_loop.SessionRunHook)" in results["task.py"].new
    assert stays == imports
    told = [f for f in results["task.py"].findings if f.code == "K131"]
    assert bool(told) == imports
