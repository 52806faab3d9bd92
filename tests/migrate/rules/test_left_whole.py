"""Files of a graph program of which nothing is recognised are left as they are."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes

HALVES = {
    "a session in another file": (
        "import tensorflow as tf\n"
        "x = tf.placeholder(tf.float32, [None, 3])\n"
        "w = tf.get_variable('w', [3, 1])\n"
        "y = tf.log(tf.matmul(x, w))\n",
        "N150",
    ),
    "a session that is not opened by with": (
        "import tensorflow as tf\n"
        "class Runner(object):\n"
        "    def __init__(self):\n"
        "        self.sess = tf.Session()\n"
        "    def run(self, loss):\n"
        "        return self.sess.run(tf.log(loss))\n",
        "S101",
    ),
    "two sessions": (
        "import tensorflow as tf\n"
        "a = tf.log(tf.constant(2.0))\n"
        "with tf.Session() as sess:\n"
        "    print(sess.run(a))\n"
        "with tf.Session(graph=tf.Graph()) as other:\n"
        "    print(other.run(a))\n",
        "N101",
    ),
    "queue runners": (
        "import tensorflow as tf\n"
        "names = tf.train.string_input_producer(['a'])\n"
        "_, line = tf.TextLineReader().read(names)\n"
        "y = tf.log(tf.string_to_number(line))\n",
        "I120",
    ),
}


@pytest.mark.parametrize("case", HALVES)
def test_is_left_whole_with_one_reason(case: str) -> None:
    text, code = HALVES[case]
    migration = migrate_text(text)
    refused = [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert [f.code for f in refused if f.code != "N100"] == [code]
    assert {f.outcome for f in migration.findings} == {Outcome.REFUSED}
    kept = [line for line in migration.text.split("\n") if "TODO(tf1to2)" not in line]
    assert "\n".join(kept) == text
    assert ast.dump(ast.parse(migration.text)) == ast.dump(ast.parse(text))
    assert migrate_text(migration.text).text == migration.text


def test_code_without_a_graph_is_rewritten_by_symbol() -> None:
    text = "import tensorflow as tf\ny = tf.log(2.0)\nz = tf.contrib.nothing.here()\n"
    migration = migrate_text(text)
    assert "tf.math.log(2.0)" in migration.text
    assert [f.code for f in migration.findings if f.outcome is Outcome.REFUSED] == [
        "T111"
    ]


SERVER = """
import json
import sys

import tensorflow as tf

cluster = json.loads(sys.argv[1])
server = tf.train.Server(tf.train.ClusterSpec(cluster), job_name="worker", task_index=0)
if "--wait" in sys.argv:
    server.join()
with tf.device("/job:worker/task:0"):
    pass
print("serves at", server.target)
"""


def test_a_task_that_only_serves() -> None:
    migration = migrate_text(SERVER)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert (
        "tf.distribute.Server(tf.train.ClusterSpec(cluster), job_name="
        in migration.text
    )
    (port,) = processes.free_ports(1)
    done = subprocess.run(
        [sys.executable, "-", json.dumps({"worker": [f"localhost:{port}"]})],
        input=migration.text,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )
    assert f"serves at grpc://localhost:{port}" in done.stdout, done.stderr


def test_modes_in_a_file_whose_session_has_a_creator() -> None:
    """A name that TensorFlow 2 lacks stays as it is, and is no failure of ours."""
    text = (
        "import tensorflow as tf\n"
        "from library import build\n"
        "build(mode=tf.estimator.ModeKeys.PREDICT)\n"
        "scaffold = tf.train.Scaffold(init_fn=lambda scaffold, sess: sess.run([]))\n"
        "creator = tf.train.ChiefSessionCreator(scaffold=scaffold)\n"
        "with tf.train.MonitoredSession(session_creator=creator) as sess:\n"
        "    sess.run([])\n"
    )
    new = migrate_text(text)
    outcomes = {(f.code, f.outcome) for f in new.findings}
    assert ("E101", Outcome.REWRITTEN) in outcomes
    assert Outcome.FAILED not in {outcome for _, outcome in outcomes}
    assert 'build(mode="infer")' in new.text
    assert "creator = tf.train.ChiefSessionCreator(scaffold=scaffold)" in new.text
