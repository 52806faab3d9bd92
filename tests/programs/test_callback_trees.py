"""Hooks of one file whose objects others make print what they did under TensorFlow 1.15.5."""

from __future__ import annotations

import pathlib
import subprocess
import sys

from tests.programs import callback_programs, variants
from tests.programs.callback_programs import TREE, TREE_HERE

ROOT = pathlib.Path(__file__).parents[2]


def _migrated(directory: pathlib.Path) -> str:
    """Migrates the tree; returns what the command says."""
    done = subprocess.run(
        [sys.executable, "-m", "migrate", "migrate", TREE_HERE, "--output", directory]
        + ["--estimators", "estimator"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.stdout + done.stderr


def _lines(directory: pathlib.Path, work: pathlib.Path) -> list[str]:
    found = variants.run((TREE,), sys.executable, directory, work, preloaded=True)
    return [str(line) for line in found["spread/lines"]]


def test_prints_what_tensorflow_1_15_5_printed(tmp_path: pathlib.Path) -> None:
    told = _migrated(tmp_path / "tree")
    assert "0 refused" in told and "K131" not in told and "K110" not in told, told
    hooks = (tmp_path / "tree" / "common" / "hooks.py").read_text()
    assert hooks.count("(tf_keras.callbacks.Callback)") == 5
    expected = list(callback_programs.recorded()["spread/lines"])
    assert len(expected) > 15
    found = _lines(tmp_path / "tree", tmp_path / "run")
    assert found == expected


def test_another_name_of_a_tensor_is_seen(tmp_path: pathlib.Path) -> None:
    _migrated(tmp_path / "tree")
    path = tmp_path / "tree" / "common" / "network.py"
    text = path.read_text()
    assert '{"largest": "largest"}' in text
    path.write_text(text.replace('{"largest": "largest"}', '{"largest": "loss"}'))
    expected = list(callback_programs.recorded()["spread/lines"])
    assert _lines(tmp_path / "tree", tmp_path / "run") != expected
