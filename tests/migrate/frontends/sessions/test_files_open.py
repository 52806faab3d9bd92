"""Sessions that a program opens while it has a file open."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from tests import ledger
from tests.migrate.backends import running

GRAPH = """\
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
"""
SESSION = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        _, value = sess.run([train_op, loss], {x: [[1.0, 2.0, 3.0]]})
        log.write("%d %.4f\\n" % (i, float(value)))
"""
START = "import io\nimport tensorflow as tf\n"
END = 'print(open("log").read())\n'


def _indent(text: str, by: int = 1) -> str:
    return "".join(" " * 4 * by + line for line in text.splitlines(keepends=True))


IN_FUNCTION = f"{START}def train(log):\n    with tf.Graph().as_default():\n" + _indent(
    GRAPH + SESSION, 2
)
OPENED = {
    "session": f'{START}{GRAPH}with open("log", "w") as log:\n{_indent(SESSION)}',
    "more than the session": (
        f'{START}{GRAPH}with io.open("log", "w") as log:\n    log.write("begin\\n")\n'
        f'{_indent(SESSION)}    log.write("end\\n")\n'
    ),
    "graph": f'{START}with open("log", "w") as log:\n{_indent(GRAPH + SESSION)}',
    "call": f'{IN_FUNCTION}with tf.gfile.GFile("log", "w") as log:\n    train(log)\n',
    "two sessions": (
        f'{START}{GRAPH}with open("log", "w") as log, open("other", "w") as log2:\n'
        f"{_indent(SESSION)}{_indent(SESSION)}"
    ),
    "files in files": (
        f'{START}{GRAPH}with open("other", "w") as other:\n'
        f'    with io.open("log", "w") as log:\n{_indent(SESSION, 2)}'
    ),
    "loop": (
        f'{START}for name in ("other", "log"):\n    with open(name, "w") as log:\n'
        f"        with tf.Graph().as_default():\n{_indent(GRAPH + SESSION, 3)}"
    ),
}


@pytest.mark.parametrize("text", OPENED.values(), ids=OPENED)
def test_a_file_is_open_around_the_session(text: str) -> None:
    new = migrate_text(text + END)
    assert not [f for f in new.findings if f.outcome is Outcome.REFUSED]
    assert "Session()" not in new.text.replace("plain_session", "")


@pytest.mark.parametrize("name", ["more than the session", "loop"])
def test_it_logs_what_tensorflow_1_logs(
    name: str, tmp_path: pathlib.Path, tf1: str
) -> None:
    ledger.rests_on(ledger.COMPILER)
    old = OPENED[name] + END
    printed = running.print_both(tf1, old, migrate_text(old).text, tmp_path)
    assert printed[0] == printed[1] and "2 15.1166" in printed[0]


OPENINGS = [
    *("tf.gfile.GFile", "tf.gfile.Open", "tf.gfile.FastGFile", "tf.io.gfile.GFile"),
    *("bz2.open", "codecs.open", "gzip.open", "h5py.File", "io.open", "tqdm.tqdm"),
    *("tempfile.NamedTemporaryFile", "tempfile.TemporaryDirectory"),
]


@pytest.mark.parametrize("opening", OPENINGS)
def test_other_calls_open_files(opening: str) -> None:
    module = opening.partition(".")[0]
    text = OPENED["graph"].replace("open(", f"{opening}(")
    found = migrate_text(
        text.replace("import io", f"import {module.replace('tf', 'io')}")
    ).findings
    assert not [f for f in found if f.outcome is Outcome.REFUSED]


SCOPED = """\
@contextlib.contextmanager
def scope():
    with tf.variable_scope("a"):
        yield
"""


def test_a_block_that_may_open_a_scope_is_refused() -> None:
    text = (
        f"import contextlib\n{START}{SCOPED}with scope():\n    log = open('log', 'w')\n"
    )
    found = migrate_text(text + _indent(GRAPH + SESSION)).findings
    assert "N101" in {f.code for f in found if f.outcome is Outcome.REFUSED}
    shadowed = OPENED["graph"].replace("import io\n", "from scopes import open\n")
    found = migrate_text(shadowed).findings
    assert "N101" in {f.code for f in found if f.outcome is Outcome.REFUSED}
