"""A plain session on the server of the monitored one, behind it."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text

PROGRAM = (
    pathlib.Path(__file__).parents[3] / "programs/clustered/tested_afterwards.py"
).read_text()
ADAM = "tf.train.AdamOptimizer(0.05)"
SYNC = f"tf.train.SyncReplicasOptimizer({ADAM}, 1, total_num_replicas=1)"
OPENED = "tf.Session(target=server.target)"


def _find_reasons(old: str, new: str) -> list[str]:
    assert PROGRAM.count(old) == 1
    findings = migrate_text(PROGRAM.replace(old, new)).findings
    return [f.reason for f in findings if f.code == "N101"]


def test_it_runs_steps_of_the_same_variables() -> None:
    done = migrate_text(PROGRAM)
    assert not [f for f in done.findings if f.blocks]
    assert "with plain_session.Session(replicas) as sess:" in done.text
    assert "sess.run(compute_worst, " in done.text
    # The program prints what its session was given.
    assert "config = tf.compat.v1.ConfigProto(" in done.text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (OPENED, 'tf.Session("grpc://other:1")', "opens a session on a server"),
        (OPENED, "tf.Session()", "opens a session without a server"),
        (ADAM, SYNC, "train in step"),
    ],
)
def test_other_sessions_are_refused(old: str, new: str, reason: str) -> None:
    (said,) = _find_reasons(old, new)
    assert reason in said


def test_it_does_not_begin_anew() -> None:
    line = "        with tf.Session(target=server.target) as sess:\n"
    assert PROGRAM.count(line) == 1
    anew = f"{line}            sess.run(tf.global_variables_initializer())\n"
    findings = migrate_text(PROGRAM.replace(line, anew)).findings
    (found,) = [f for f in findings if f.code == "D112" and f.blocks]
    assert "what other workers had trained" in found.reason
