"""Networks of Keras models that stand in other files, against TensorFlow 1.15.5."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import pytest

from reference.compare import Array
from tests.programs import keras_network_programs, variants
from tests.programs.keras_network_programs import CONTINUED, HERE, TREES
from tests.programs.variants import Found, Variant

ROOT = pathlib.Path(__file__).parents[2]
EVERY = (*TREES, CONTINUED)
each_tree = pytest.mark.parametrize("tree", EVERY, ids=lambda t: t.name)
# Of each tree, a file of its network, and what is wrong in it.
FAULTS = {
    "called_twice": ("called_twice_network.py", "rate=dropout", "rate=0.5 * dropout"),
    "ctr_task": ("ctr/layers.py", "l2=0.5 * l2", "l2=l2"),
    "digits_train": ("digits_network.py", "momentum=0.9", "momentum=0.99"),
    "faces": ("faces_network.py", "rate=0.3, seed=4", "rate=0.3, seed=5"),
    "houses": ("houses_layers.py", '"mlp/" + name', '"mlp_" + name'),
    "ranker_main": ("ranker/blocks.py", "return x + net", "return net"),
    "tuned": ("tuned_training.py", "0.7, staircase", "0.8, staircase"),
    "zoo_main": ("zoo/lenet.py", "activation=tf.nn.relu", "activation=tf.nn.tanh"),
}


def _migrated(source: pathlib.Path, target: pathlib.Path) -> str:
    """Migrates the trees; returns what the command says."""
    done = subprocess.run(
        [sys.executable, "-m", "migrate", "migrate", source, "--output", target],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.stdout + done.stderr


def _ran(
    trees: tuple[Variant, ...], programs: pathlib.Path, work: pathlib.Path
) -> dict[str, Array]:
    return variants.run(trees, sys.executable, programs, work, preloaded=True)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, str]:
    """The migrated trees, and what the command said."""
    target = tmp_path_factory.mktemp("keras_networks") / "programs"
    told = _migrated(HERE, target)
    keras_network_programs.begin(target)
    return target, told


@pytest.fixture(scope="module")
def found(
    programs: tuple[pathlib.Path, str], tmp_path_factory: pytest.TempPathFactory
) -> Found:
    work = tmp_path_factory.mktemp("keras_networks_run")
    return Found(work, lambda tree, at: _ran((tree,), programs[0], at))


def test_the_networks_functions_become_keras_where_they_are(
    programs: tuple[pathlib.Path, str],
) -> None:
    target, told = programs
    assert "0 refused" in told and "K110" not in told, told
    for file in ("digits_network.py", "ctr/layers.py", "ranker/blocks.py"):
        text = (target / file).read_text()
        assert "tf_keras.layers." in text and "estimator_loop" not in text, file
    # The names, the constants and what is not of the network stay.
    network = (target / "digits_network.py").read_text()
    assert "def inference(images, hidden_units):" in network
    assert "def loss(logits, labels):" in network
    for file in ("digits_train.py", "digits_evaluate.py", "digits_export.py"):
        assert "from digits_model import EstimatorModel" in (target / file).read_text()


def test_migrating_them_again_changes_nothing(
    programs: tuple[pathlib.Path, str], tmp_path: pathlib.Path
) -> None:
    target, _ = programs
    assert "; 0 changed" in _migrated(target, tmp_path / "again")
    for path in target.rglob("*.py"):
        again = tmp_path / "again" / path.relative_to(target)
        assert again.read_bytes() == path.read_bytes(), path


@each_tree
def test_equals_tensorflow_1_15_5(tree: Variant, found: Found) -> None:
    expected = {
        name: value
        for name, value in keras_network_programs.recorded().items()
        if not name.startswith("begun/")
    }
    rows = variants.differences(tree, expected, found)
    assert rows
    wrong = {k: v for k, v in rows.items() if not v <= tree.tolerance}
    assert not wrong, f"allowed {tree.tolerance}: {tree.reason}"


def test_a_fault_in_each_network_is_seen(
    programs: tuple[pathlib.Path, str], tmp_path: pathlib.Path
) -> None:
    target = tmp_path / "programs"
    shutil.copytree(programs[0], target)
    for file, old, new in FAULTS.values():
        text = (target / file).read_text()
        assert old in text
        (target / file).write_text(text.replace(old, new))
    # And one that goes on from nothing.
    shutil.rmtree(target / "begun")
    (target / "begun").mkdir()
    seen = _ran(EVERY, target, tmp_path / "run")
    expected = keras_network_programs.recorded()
    for tree in EVERY:
        rows = variants.differences(tree, expected, seen)
        assert max(rows.values()) > 1e-3, tree.name
