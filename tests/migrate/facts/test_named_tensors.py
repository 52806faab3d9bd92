"""Tensors that hooks of a session ask for by the names that the graph gives them."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text

_TEXT = """
import numpy as np
import tensorflow as tf
{imports}

class Told(tf.train.SessionRunHook):
    def before_run(self, run_context):
        return tf.train.SessionRunArgs({asked})

    def after_run(self, run_context, run_values):
        print(run_values.results)


def main(directory):
    x = tf.constant(np.ones((4, 3), np.float32))
    w = tf.get_variable("w", [3, 1])
    {before}
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)), name="loss")
    with tf.name_scope("train"):
        largest = tf.reduce_max(x, name="largest")
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
    {after}
    hooks = [tf.train.StopAtStepHook(last_step=9), Told(){more}]
    with tf.train.MonitoredTrainingSession(
            checkpoint_dir=directory, hooks=hooks) as session:
        while not session.should_stop():
            session.run(train_op)


main("model")
"""


def _migrated(asked: str, **parts: str) -> tuple[str, list[tuple[str, str]]]:
    given = {"imports": "", "before": "", "after": "", "more": "", **parts}
    migration = migrate_text(_TEXT.format(asked=asked, **given))
    told = [
        (f.code, f.reason)
        for f in migration.findings
        if f.outcome.name == "REFUSED" and f.code != "N100"
    ]
    return migration.text, told


@pytest.mark.parametrize(
    ("asked", "written", "parts"),
    [
        ("'loss:0'", 'SessionRunArgs("loss")', {}),
        ("['loss:0', 'w:0']", 'SessionRunArgs(["loss", "w"])', {}),
        ("{'a': 'train/largest:0'}", 'SessionRunArgs({\'a\': "largest"})', {}),
        ("'global_step:0'", 'SessionRunArgs("step")', {}),
        ("tf.get_default_graph().get_tensor_by_name('loss:0')",
         'SessionRunArgs("loss")', {}),
        # What comes later has a number.
        ("'loss:0'", 'SessionRunArgs("loss")',
         {"after": 'tf.summary.scalar("loss", loss)'}),
        # The first has the name, the second is "loss_1".
        ("'loss:0'", 'SessionRunArgs("y")',
         {"before": 'y = tf.identity(x, name="loss")'}),
        # Tags of a hook are no names; those of a list are what it asks for.
        ("'loss:0'", 'LoggingTensorHook(tensors=["loss"]',
         {"more": ', tf.train.LoggingTensorHook({"loss": "loss"}, 2)'}),
        ("'loss:0'", 'LoggingTensorHook(tensors=["train/largest", "loss:0"]',
         {"more": ', tf.train.LoggingTensorHook(["train/largest", "loss:0"], 2)'}),
    ],
)  # fmt: skip
def test_a_name_is_what_the_program_calls_it(
    asked: str, written: str, parts: dict[str, str]
) -> None:
    text, told = _migrated(asked, **parts)
    assert not told
    assert written in text


@pytest.mark.parametrize(
    ("asked", "parts", "code"),
    [
        # The operation itself, a second result, a name that nothing has.
        ("'loss'", {}, "H122"),
        ("'loss:1'", {}, "H122"),
        ("'other:0'", {}, "H122"),
        ("'largest:0'", {}, "H122"),
        # Something has the name before.
        ("'loss:0'", {"before": 'tf.summary.scalar("loss", x[0, 0])'}, "H122"),
        ("'loss:0'", {"before": 'with tf.name_scope("loss"): y = x * 2'}, "H122"),
        # Or may have it, in a function or of another file.
        ("'loss:0'", {"before": "y = named(x, 'loss')",
                      "imports": "\ndef named(x, name):\n"
                      "    return tf.identity(x, name=name)\n"}, "H122"),
        ("'loss:0'", {"before": "y = network.built(x)", "imports": "import network\n"},
         "H122"),
        # An operation without a name may be called so.
        ("'add:0'", {"before": "y = x + 1\n    z = tf.identity(y, name='add')"}, "H122"),
        # It is made several times.
        ("'part:0'", {"before": "for i in range(2):\n"
                      "        y = tf.identity(x, name='part')"}, "H122"),
        ("'loss:0'", {"more": ', tf.train.LoggingTensorHook(["other"], 2)'}, "H102"),
        # One name for two tensors.
        ("'loss:0'", {"more": ', tf.train.LoggingTensorHook({"a": x}, 2), '
                      'tf.train.LoggingTensorHook({"a": loss}, 2)'}, "N151"),
    ],
)  # fmt: skip
def test_a_name_that_may_be_another_s(
    asked: str, parts: dict[str, str], code: str
) -> None:
    _, told = _migrated(asked, **parts)
    assert code in [one for one, _ in told], told
