"""Servers that a process starts for itself alone, and constants of placed tensors."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

HELLO = """\
import tensorflow as tf
c = tf.constant("Hello, distributed TensorFlow!")
%s
print(sess.run(c))
"""


@pytest.mark.parametrize(
    "opened",
    [
        "server = tf.train.Server.create_local_server()\nsess = tf.Session(server.target)",
        "sess = tf.Session(tf.train.Server.create_local_server().target)",
        "s = tf.train.Server.create_local_server(tf.ConfigProto())\n"
        "sess = tf.Session(target=s.target)",
        "s = tf.train.Server.create_local_server()\n"
        "sess = tf.train.MonitoredTrainingSession(master=s.target)",
    ],
)
def test_the_session_is_the_process_own(opened: str) -> None:
    done = migrate_text(HELLO % opened)
    found = {f.code: f for f in done.findings}
    assert Outcome.REFUSED not in {f.outcome for f in done.findings}
    assert found["S117"].symbol == "tf.train.Server.create_local_server"
    assert "local_server" not in done.text and "target" not in done.text
    assert "@tf.function" in done.text or "MonitoredTrainingSession(" in done.text


@pytest.mark.parametrize(
    "opened",
    [
        # Sessions on one server share its variables.
        "server = tf.train.Server.create_local_server()\n"
        "first = tf.Session(server.target)\nsess = tf.Session(server.target)",
        "server = tf.train.Server.create_local_server()\nprint(server.target)\n"
        "sess = tf.Session(server.target)",
        "server = tf.train.Server.create_local_server(start=False)\n"
        "sess = tf.Session(server.target)",
    ],
)
def test_otherwise_it_is_refused(opened: str) -> None:
    text = HELLO % opened
    done = migrate_text(text)
    assert Outcome.REFUSED in {f.outcome for f in done.findings}
    assert "create_local_server" in done.text


def test_constants_of_placed_tensors_are_made_in_the_step() -> None:
    done = migrate_text(
        """\
import tensorflow as tf
cluster = tf.train.ClusterSpec({"local": ["localhost:2222", "localhost:2223"]})
x = tf.constant(2)
with tf.device("/job:local/task:1"):
    y2 = x - 66
with tf.device("/job:local/task:0"):
    y1 = x + 300
    y = y1 + y2
with tf.Session("grpc://localhost:2222") as sess:
    print(sess.run(y))
"""
    )
    assert {f.outcome for f in done.findings} == {Outcome.KEPT, Outcome.REWRITTEN}
    step = done.text[done.text.index("def compute_y") :]
    assert "x = tf.constant(2)" in step and 'tf.device("/job:local/task:1")' in step
