"""A step whose fetch exists only under a test of Python is made under this test."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from tests.migrate.backends.running import run_together

PROGRAM = """import sys
import numpy as np
import tensorflow as tf
log = open(sys.argv[1].split('=')[1] + '/loss.0', 'w')
{shown}
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable('w', [3, 1], initializer=tf.ones_initializer())
h = tf.matmul(x, w)
loss = tf.reduce_mean(tf.square(h - 2.))
train = tf.train.AdamOptimizer(.1).minimize(loss)
if shown:
    z = tf.placeholder(tf.float32, [None, 1])
    score = tf.reduce_sum(tf.sigmoid(h + z))
with {session} as sess:
    {start}
    for i in range(4):
        batch = np.random.RandomState(i).rand(4, 3)
        log.write('%d %r\\n' % (i, float(sess.run([train, loss], {{x: batch}})[1])))
        if shown:
            value = sess.run(score, {{x: batch, z: batch[:, :1]}})
            log.write('%d %r\\n' % (i, float(value)))
log.close()
"""
SESSIONS = {
    "plain": ("tf.Session()", "sess.run(tf.global_variables_initializer())"),
    "monitored": ("tf.train.SingularMonitoredSession()", "print('begins')"),
}
CASES = {
    f"{kind} {shown}": PROGRAM.format(
        shown=f"shown = len(sys.argv) {sign} 1", session=session, start=start
    )
    for kind, (session, start) in SESSIONS.items()
    for shown, sign in (("shown", ">"), ("not shown", "<"))
}


def test_equal_to_tf1(tf1: str, tmp_path: pathlib.Path) -> None:
    texts = {}
    for case, program in CASES.items():
        migration = migrate_text(program)
        assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
        assert "if shown:\n" in migration.text
        texts[case] = migration.text
    monitored = texts["monitored not shown"]
    assert "replicas.step_function" in monitored
    old = run_together(tf1, CASES, tmp_path / "old")
    new = run_together(sys.executable, texts, tmp_path / "new")
    for case, losses in old.items():
        assert len(losses) == (4 if "not" in case else 8)
        assert new[case] == pytest.approx(losses, rel=2e-6), case


def test_without_the_test_the_step_cannot_be_made(tmp_path: pathlib.Path) -> None:
    text = migrate_text(CASES["monitored not shown"]).text
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line == "    if shown:")
    lines[at] = "    if True:"
    with pytest.raises(AssertionError, match="UnboundLocalError|NameError"):
        run_together(sys.executable, {"always": "\n".join(lines)}, tmp_path / "new")
