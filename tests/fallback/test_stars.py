"""Graph mode where a program has its modules by a star, or by a directory that it adds."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.gates.effects import Wrong, find_differences
from migrate.options import Options
from migrate.outcomes import Status
from migrate.run import run_programs
from reference import processes, runner
from tests.migrate.backends.running import RUN_ALL

HELPER = """import os
import tensorflow as tf


def scale(x):
    return tf.contrib.layers.fully_connected(
        x, 1, activation_fn=None, weights_initializer=tf.constant_initializer(0.5))
"""
# The threads keep it from becoming a program without sessions.
MAIN = """import sys
if "../" not in sys.path:
    sys.path.append("../")
from helper import *
import threading

out = sys.argv[1].split("=")[1]
x = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_mean(tf.square(tf.contrib.layers.flatten(scale(x)) - 1.0))
train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
if not os.path.exists(os.path.join(out, "model")):
    os.makedirs(os.path.join(out, "model"))


def work(sess):
    with open(os.path.join(out, "loss.0"), "w") as log:
        for i in range(4):
            value, _ = sess.run([loss, train], {x: [[1.0, i], [2.0, 1.0]]})
            log.write("%d %r\\n" % (i, float(value)))


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    thread = threading.Thread(target=work, args=(sess,))
    thread.start()
    thread.join()
"""


def _run(python: str, where: pathlib.Path) -> list[float]:
    out = where / "out"
    out.mkdir()
    processes.run_tasks(
        python,
        RUN_ALL,
        [],
        out,
        ps=0,
        environment=runner.ENVIRONMENT,
        timeout=300,
        command_line=lambda *task: [str(out), str(where / "main.py")],
        preloaded=True,
    )
    failure = out / "main" / "failure"
    assert not failure.exists(), failure.read_text()
    assert (out / "main" / "model").is_dir()
    lines = (out / "main" / "loss.0").read_text().splitlines()
    return [float(line.split()[1]) for line in lines]


def _write(where: pathlib.Path, **files: str) -> None:
    where.mkdir()
    for name, text in files.items():
        (where / f"{name}.py").write_text(text)


def test_equal_to_tf1(tf1: str, tmp_path: pathlib.Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    _write(old, helper=HELPER, main=MAIN)
    (program,) = run_programs([old], Options(fallback="compat"))
    texts = {r.path.stem: r.new.decode() for r in program}
    assert {r.status for r in program} == {Status.COMPAT}
    main = texts["main"]
    assert main.index("sys.path.append") < main.index("import contrib_layers")
    assert "from helper import *" in main
    _write(new, **texts)
    beside.write(new, *texts.values())
    right = _run(tf1, old)
    assert len(right) == 4
    assert _run(sys.executable, new) == pytest.approx(right, rel=2e-6)


def test_an_effect_that_is_gone_is_noticed_beside_a_star() -> None:
    new = MAIN.replace("from helper", "import os\nfrom helper")
    assert not find_differences(MAIN, new)
    gone = new.replace("    os.makedirs", "    print")
    (difference,) = find_differences(MAIN, gone)
    assert difference.wrong is Wrong.LOST and "makedirs" in difference.reason
