"""A migrated program that was run before it is proved has checkpoints of its own."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

from reference.verify import earlier, workspace
from reference.verify.verdict import Outcome
from tests.verify.support import migrated, unproven, verified

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2])
w = tf.get_variable("w", [2, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
step = tf.train.get_or_create_global_step()
train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step)
hooks = [tf.train.StopAtStepHook(last_step=6)]
with tf.train.MonitoredTrainingSession(checkpoint_dir="kept", hooks=hooks) as session:
    while not session.should_stop():
        session.run(train, {x: np.ones([4, 2])})
"""


def _write(directory: pathlib.Path, **files: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (directory / name).write_text(text)


def test_the_run_begins_with_the_originals_checkpoints(tmp_path: pathlib.Path) -> None:
    old, new, run = (tmp_path / name for name in ("old", "new", "run"))
    _write(old / "both", checkpoint="5")
    _write(new / "both", checkpoint="5")
    _write(old / "longer", checkpoint="5", **{"model.index": "a", "rows.txt": "b"})
    _write(new / "longer", checkpoint="50")
    _write(new / "own", checkpoint="6", **{"model.data-00000-of-00001": "", "x.py": ""})
    _write(new / "read", checkpoint="7")
    assert earlier.find_differing(old, new, [new / "read"]) == ["longer", "own"]
    assert earlier.find_differing(old, old) == []
    for name in ("both", "longer", "own"):
        _write(run / name, **{p.name: p.read_text() for p in (new / name).iterdir()})
    earlier.replace(old, run, ["longer", "own"])
    files = {p.relative_to(run).as_posix() for p in run.rglob("*") if p.is_file()}
    # What is no checkpoint stays, and none comes along.
    expected = {
        "both/checkpoint",
        "longer/checkpoint",
        "longer/model.index",
        "own/x.py",
    }
    assert files == expected
    assert (run / "longer" / "checkpoint").read_text() == "5"


def test_a_migration_that_was_run_is_equal(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old" / "train.py"
    old.parent.mkdir()
    old.write_text(PROGRAM)
    new = migrated(old, tmp_path / "new")
    workspace.complete(new)
    subprocess.run([sys.executable, new.name], cwd=new.parent, check=True, timeout=120)
    assert (new.parent / "kept" / "checkpoint").exists()
    verdict = verified(old, new, tmp_path / "work")
    assert verdict.outcome is Outcome.EQUAL, unproven(verdict)
    assert any(line.startswith("kept: ") for line in verdict.reduced)
    monkeypatch.setattr(earlier, "find_differing", lambda *_: [])
    control = verified(old, new, tmp_path / "control")
    assert control.outcome is not Outcome.EQUAL
