"""Sessions beside an Estimator that run a graph which they load.

What the program finds is compared with what TensorFlow 1.15.5 found, recorded by
`python -m tests.programs.test_loaded_sessions PYTHON3.7`.
"""

from __future__ import annotations

import pathlib
import sys
import tempfile

import numpy as np
import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes, runner
from reference.compare import Array

PROGRAM = pathlib.Path(__file__).parent / "loaded" / "served.py"
RECORDED = PROGRAM.with_name("tf1.npz")
# Newer Eigen rounds divisions otherwise; the fault below moves what is served by 1e-2.
TOLERANCE = 2e-6


def _run(python: str, program: pathlib.Path, out: pathlib.Path) -> dict[str, Array]:
    out.mkdir(parents=True, exist_ok=True)
    processes.run_program([python, program, out], environment=runner.ENVIRONMENT)
    with np.load(out / "found.npz") as found:
        return {name: found[name] for name in found.files}


def _migrated(text: str, directory: pathlib.Path) -> pathlib.Path:
    migration = migrate_text(text)
    loud = (Outcome.REFUSED, Outcome.FAILED)
    assert not [f for f in migration.findings if f.outcome in loud]
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "served.py").write_text(migration.text)
    beside.write(directory, migration.text)
    return directory / "served.py"


def _worst(one: dict[str, Array], other: dict[str, Array]) -> float:
    assert one.keys() == other.keys()
    return max(float(np.max(np.abs(one[name] - other[name]))) for name in one)


def test_equals_recorded_tf1(tmp_path: pathlib.Path) -> None:
    program = _migrated(PROGRAM.read_text(), tmp_path / "program")
    found = _run(sys.executable, program, tmp_path / "out")
    with np.load(RECORDED) as archive:
        recorded = {name: archive[name] for name in archive.files}
    assert _worst(found, recorded) <= TOLERANCE
    # Another input is seen.
    wrong = program.with_name("wrong.py")
    wrong.write_text(program.read_text().replace("{x: XS})", "{x: XS * 1.01})"))
    other = _run(sys.executable, wrong, tmp_path / "wrong")
    assert _worst(other, recorded) > 100 * TOLERANCE


def test_the_recording_is_what_tf1_finds(tf1: str, tmp_path: pathlib.Path) -> None:
    with np.load(RECORDED) as archive:
        recorded = {name: archive[name] for name in archive.files}
    assert _worst(_run(tf1, PROGRAM, tmp_path), recorded) <= TOLERANCE


_FILE = """\
import tensorflow as tf


def train(model_fn, input_fn, directory):
    tf.estimator.Estimator(model_fn, directory).train(input_fn, steps=10)


def serve(directory, batch):
{block}
"""
_BARE = """\
    with tf.Session() as sess:
        tf.saved_model.loader.load(sess, ["serve"], directory)
        return sess.run("y:0", {"x:0": batch})
"""


def test_a_session_without_a_graph_of_its_own_is_given_one() -> None:
    text = migrate_text(_FILE.format(block=_BARE)).text
    assert "with tf.compat.v1.Session(graph=tf.Graph()) as sess:" in text
    assert "tf.compat.v1.saved_model.loader.load(sess, " in text


@pytest.mark.parametrize(
    "block",
    [
        # It makes something of its graph.
        _BARE.replace('"y:0"', "tf.reduce_mean(y)"),
        # What it runs may be of another graph.
        _BARE.replace('"y:0"', "batch"),
        # It may load two models into one graph.
        "    for _ in range(2):\n" + _BARE.replace("    ", "        "),
        _BARE + _BARE,
        # It loads nothing.
        _BARE.replace('tf.saved_model.loader.load(sess, ["serve"], directory)', "pass"),
    ],
)
def test_others_are_refused(block: str) -> None:
    found = migrate_text(_FILE.format(block=block))
    assert "compat.v1.Session" not in found.text
    assert any(f.outcome is Outcome.REFUSED for f in found.findings)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        np.savez(RECORDED, **_run(sys.argv[1], PROGRAM, pathlib.Path(directory)))
