"""Model functions of one file that programs of another train, against TensorFlow 1.15.5."""

from __future__ import annotations

import pathlib
import subprocess
import sys

from tests.programs import keras_programs, variants
from tests.programs.keras_programs import TREE, TREE_HERE

ROOT = pathlib.Path(__file__).parents[2]


def _migrated(directory: pathlib.Path, source: pathlib.Path = TREE_HERE) -> str:
    """Migrates the tree; returns what the command says."""
    done = subprocess.run(
        [sys.executable, "-m", "migrate", "migrate", source, "--output", directory],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.stdout + done.stderr


def _found(directory: pathlib.Path, work: pathlib.Path) -> dict[str, float]:
    found = variants.run((TREE,), sys.executable, directory, work, preloaded=True)
    return variants.differences(TREE, keras_programs.recorded(), found)


def test_equals_tensorflow_1_15_5(tmp_path: pathlib.Path) -> None:
    told = _migrated(tmp_path / "tree")
    assert "0 refused" in told and "K110" not in told, told
    program = (tmp_path / "tree" / "together.py").read_text()
    assert "from trainer.model import ClassifierModel\n" in program
    assert "keras_estimator.Estimator(" in program
    model = (tmp_path / "tree" / "trainer" / "model.py").read_text()
    assert model.count("(tf_keras.Model)") == 2
    rows = _found(tmp_path / "tree", tmp_path / "run")
    wrong = {k: v for k, v in rows.items() if not v <= TREE.tolerance}
    assert rows and not wrong, f"allowed {TREE.tolerance}: {TREE.reason}"


def test_another_activation_is_seen(tmp_path: pathlib.Path) -> None:
    _migrated(tmp_path / "tree")
    path = tmp_path / "tree" / "trainer" / "model.py"
    text = path.read_text()
    assert "activation=tf.nn.tanh" in text
    path.write_text(text.replace("activation=tf.nn.tanh", "activation=tf.nn.relu"))
    assert max(_found(tmp_path / "tree", tmp_path / "run").values()) > 1e-3


def _with_a_third(tmp_path: pathlib.Path, more: str) -> tuple[str, str, str]:
    """What becomes of the model, the program, and a third file."""
    source, target = tmp_path / "old", tmp_path / "new"
    for path in sorted(TREE_HERE.rglob("*.py")):
        copy = source / path.relative_to(TREE_HERE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    (source / "third.py").write_text(more)
    _migrated(target, source)
    model, program, third = (
        (target / name).read_text()
        for name in ("trainer/model.py", "together.py", "third.py")
    )
    return model, program, third


def test_a_model_fn_stays_where_one_of_its_files_calls_it(
    tmp_path: pathlib.Path,
) -> None:
    """That file would not find it."""
    model, program, _ = _with_a_third(
        tmp_path,
        "import tensorflow as tf\nfrom trainer import model\n\n"
        "spec = model.classifier_fn({}, None, 'infer', {})\n",
    )
    assert "def classifier_fn" in model
    assert model.count("(tf_keras.Model)") == 1  # The builder's.
    assert "from trainer.model import classifier_fn" in program


def test_a_refused_file_leaves_the_files_it_is_connected_with(
    tmp_path: pathlib.Path,
) -> None:
    """It imports the model, and TensorFlow 1 still runs it."""
    refused = (
        "import tensorflow as tf\nfrom trainer.model import classifier_fn\n\n"
        "tf.contrib.learn.DNNClassifier([], [1])\n"
        "e = tf.estimator.Estimator(classifier_fn, params={'hidden': 1})\n"
    )
    model, program, third = _with_a_third(tmp_path, refused)
    assert model == (TREE_HERE / "trainer" / "model.py").read_text()
    assert program == (TREE_HERE / "together.py").read_text()
    assert third == refused
