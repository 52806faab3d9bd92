"""A SummarySaverHook's summaries, in sessions that write none themselves."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
tf.summary.scalar("loss", loss)
hook = tf.train.SummarySaverHook(save_steps=2, output_dir="s", summary_op=GIVEN)
# AFTER
with SESSION as sess:
    while not sess.should_stop():
        sess.run(train_op, {x: np.ones([1, 3])})
"""
SESSIONS = [
    "tf.train.MonitoredTrainingSession(hooks=[hook], save_summaries_steps=None, "
    "save_summaries_secs=None)",
    "tf.train.MonitoredSession(tf.train.ChiefSessionCreator(), hooks=[hook])",
    "tf.train.SingularMonitoredSession(hooks=[hook])",
]
MERGED = "tf.summary.merge_all()"


def _migrated(
    given: str = MERGED, session: str = SESSIONS[0], after: str = ""
) -> tuple[str, set[str]]:
    text = PROGRAM.replace("GIVEN", given).replace("SESSION", session)
    migration = migrate_text(text.replace("# AFTER", after))
    assert Outcome.FAILED not in {f.outcome for f in migration.findings}
    refused = {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    return migration.text, refused


@pytest.mark.parametrize("session", SESSIONS)
@pytest.mark.parametrize("given", [MERGED, f"[{MERGED}]"])
def test_an_inline_merge_has_the_scalars(given: str, session: str) -> None:
    text, refused = _migrated(given, session)
    assert not refused
    assert 'training_session.summary.scalar("loss", loss)' in text
    assert 'summary_op="tf.summary.merge_all()"' in text


def test_a_merge_of_a_tag_in_quotes() -> None:
    text, refused = _migrated('tf.summary.merge([tf.summary.scalar("own", loss)])')
    assert not refused and 'training_session.summary.scalar("own", loss)' in text


def test_what_a_merge_does_not_have_is_refused() -> None:
    assert "N151" in _migrated(after='tf.summary.scalar("late", loss)')[1]


def test_a_list_of_several_is_refused() -> None:
    assert "N151" in _migrated(f'[{MERGED}, tf.summary.scalar("own", loss)]')[1]
