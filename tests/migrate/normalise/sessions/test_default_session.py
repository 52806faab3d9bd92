"""The default session is known: in the block that opens it, and from functions that give it."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding

HEAD = """\
import tensorflow as tf

"""
GRAPH = """\
x = tf.placeholder(tf.float32, [None])
w = tf.Variable(0.0)
loss = tf.reduce_mean(tf.square(1.0 - x * w))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
"""
RUNS = """\
    {sess}.run(tf.global_variables_initializer())
    for i in range(3):
        print({sess}.run([train_op, loss], feed_dict={{x: [1.0]}})[1])
"""
GIVER = "def get_session():\n    return tf.get_default_session()\n\n\n"
ASKS = "tf.get_default_session()"


def refused(text: str) -> list[Finding]:
    found = migrate_text(text).findings
    return [f for f in found if f.blocks and f.code != "N100"]


def write(opens: str, sess: str, before: str = "") -> str:
    return HEAD + before + GRAPH + opens + RUNS.format(sess=sess)


def put_in_function(text: str) -> str:
    """The program with everything but its import and its giver in a function."""
    at = text.index(GRAPH)
    body = text[at:].replace("\n", "\n    ").rstrip()
    return f"{text[:at]}def main():\n    {body}\n\n\nmain()\n"


PROGRAMS = [
    write(f"with tf.Session():\n    sess = {ASKS}\n", "sess"),
    write(f"with tf.Session() as s:\n    sess = {ASKS}\n", "sess"),
    write(f"with tf.Session() as sess:\n    sess = {ASKS}\n", "sess"),
    write("with tf.Session():\n", ASKS),
    write("with tf.Session():\n    sess = get_session()\n", "sess", GIVER),
    write("with tf.Session():\n", "get_session()", GIVER),
    write(f"with tf.Session():\n    session = {ASKS}\n", "session", "sess = 1\n"),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_the_session_of_a_block_is_known(text: str) -> None:
    for program in (text, put_in_function(text)):
        done = migrate_text(program)
        assert not [f for f in done.findings if f.blocks], program
        assert "get_" not in done.text


def test_a_function_that_other_code_names_stays_and_is_told() -> None:
    text = write("with tf.Session():\n    sess = get_session()\n", "sess", GIVER)
    found = refused(text + "print(get_session)\n")
    assert found and all("runs nothing in" not in f.reason for f in found)


@pytest.mark.parametrize(
    "opens",
    [
        "with tf.Session() as s:\n    sess = [s][0]\n",
        "other = open_other()\nwith tf.Session(), other.as_default():\n"
        f"    sess = {ASKS}\n",
    ],
)
def test_a_run_by_another_name_is_no_session_without_a_run(opens: str) -> None:
    text = write(opens, "sess").replace(HEAD, HEAD + "from a import open_other\n")
    (found,) = [f for f in refused(text) if f.code == "S120"]
    assert "does not know whether `sess.run(...)` runs it" in found.reason


@pytest.mark.parametrize(
    "run",
    [
        "subprocess.run(['ls'])",
        "job = Job()\njob.run(x)",
        "Job().run(x)",
    ],
)
def test_other_objects_that_run_are_no_sessions(run: str) -> None:
    job = (
        "import subprocess\n\n\nclass Job:\n    def run(self, x):\n"
        "        self.run(x)\n        return x\n\n\n"
    )
    text = HEAD + job + GRAPH + run + "\nwith tf.Session() as sess:\n    pass\n"
    (found,) = refused(text)
    assert found.code == "S120"
    assert found.reason == "the program runs nothing in this session"
