"""Summaries of a model_fn that becomes a Keras model: their tags, and when they are written."""

from __future__ import annotations

from migrate.compiler import migrate_text
from migrate.findings import Outcome

_MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    with tf.variable_scope("out"):
        logits = tf.layers.dense(features["x"], 2, name="fc")
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    SUMMARIES
    optimizer = tf.train.AdamOptimizer(0.1)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    gradients, norm = tf.clip_by_global_norm(gradients, 1.0)
    # How large they are.
    OF_GRADIENTS
    # The update.
    train_op = optimizer.apply_gradients(
        zip(gradients, variables), tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn)
"""


def _migrated(summaries: str, of_gradients: str = "pass") -> tuple[str, str]:
    text = _MODEL.replace("SUMMARIES", summaries).replace("OF_GRADIENTS", of_gradients)
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    stays = "; ".join(f.reason for f in migration.findings if f.code == "K110")
    return migration.text, stays


def _keras(summaries: str, of_gradients: str = "pass") -> str:
    text, stays = _migrated(summaries, of_gradients)
    assert not stays
    return text


def _scoped(scope: str, summary: str) -> str:
    return f"with {scope}:\n        {summary}"


def test_scopes_are_part_of_a_tag() -> None:
    text = _keras(_scoped("tf.name_scope('monitor')", "tf.summary.scalar('x', loss)"))
    assert 'tf.compat.v1.summary.scalar("monitor/x", loss)' in text


def test_a_scope_that_is_opened_again_has_a_number() -> None:
    text = _keras(
        _scoped("tf.variable_scope('out')", "tf.summary.scalar('x', loss)")
        + "\n    tf.summary.scalar('y', loss)"
    )
    assert '"out_1/x"' in text and "scalar('y', loss)" in text


def test_a_layer_has_taken_its_name() -> None:
    text = _keras("tf.summary.histogram('out/fc', logits)")
    assert 'summary.histogram("out/fc_1", logits)' in text


def test_named_tensors_keep_their_scopes() -> None:
    text = _keras(_scoped("tf.name_scope('a')", "tf.identity(loss, name='b')"))
    assert 'tf.identity(loss, name="a/b")' in text


def test_a_summary_in_a_name_is_written() -> None:
    text = _keras("size = tf.norm(loss)\n    kept = tf.summary.scalar('s', size)")
    step = text[text.index("def train_step") :]
    assert step.index("size = tf.norm(loss)") < step.index("summary.scalar('s', size)")


def test_a_summary_of_gradients_follows_them() -> None:
    text = _keras("pass", "tf.summary.scalar('norm', norm)")
    step = text[text.index("def train_step") :]
    found = [
        step.index(line)
        for line in (
            "gradients, norm = ",
            "# How large they are.",
            "summary.scalar('norm', norm)",
            "# The update.",
            "apply_gradients(",
        )
    ]
    assert found == sorted(found)


def test_what_is_not_written_out_stays_a_model_fn() -> None:
    scope = _scoped("tf.name_scope(mode)", "tf.summary.scalar('x', loss)")
    assert "the name of a scope is not written out" in _migrated(scope)[1]
    name = _scoped("tf.name_scope('a')", "tf.summary.scalar('x' + mode, loss)")
    assert "not written out" in _migrated(name)[1]
    columns = "tf.feature_column.shared_embedding_columns(columns, 3)"
    assert "no" in _migrated(f"unread = {columns}")[1]


def test_a_function_that_writes_summaries_is_not_left_out() -> None:
    note = "def note(value):\n    tf.summary.scalar('note', value)\n    return value\n"
    text = _MODEL.replace("def model_fn", f"{note}\n\ndef model_fn")
    text = text.replace("SUMMARIES", "unread = note(loss)")
    found = migrate_text(text.replace("OF_GRADIENTS", "pass")).findings
    (stays,) = (f.reason for f in found if f.code == "K110")
    assert "writes summaries" in stays


def test_gradients_are_not_taken_by_their_place() -> None:
    for first in ("gradients[0]", "list(zip(gradients, variables))[0][0]"):
        stays = _migrated("pass", f"tf.summary.histogram('first', {first})")[1]
        assert "by their place" in stays
    assert (
        "by their place" in _migrated("loss += tf.norm(tf.trainable_variables()[0])")[1]
    )
    _keras("pass", "gradients = [tf.clip_by_norm(g, 1.0) for g in gradients]")
