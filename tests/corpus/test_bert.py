"""bert-tensorflow's classifier, migrated, trains as it did under TensorFlow 1.15.5.

The package's tree and a program that uses it (`bert_classify.py`) are migrated together
and go on from TensorFlow 1.15.5's checkpoint of step 0. So does what the fallback makes
of them: a TPUEstimator in graph mode.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import pytest

from migrate.beside import files as beside
from migrate.fallback.module import Part, bring_to_compat
from migrate.options import Options
from reference import processes
from tests import ledger
from tests.corpus import packages

STEPS = 20
# What TF1 leaves open is settled in the source of both: the head's dropout has no seed,
# and the step is counted beside the reads of it that the learning rate is made of. (Which
# comes first is not said: measured, the rate is the next step's, and this step's as soon
# as a summary of the rate is made.)
SETTLED = {
    "run_classifier.py": (
        "tf.nn.dropout(output_layer, keep_prob=0.9)",
        "tf.nn.dropout(output_layer, keep_prob=1.0)",
    ),
    "optimization.py": (
        "  train_op = tf.group(train_op, [global_step.assign(new_global_step)])\n",
        "  with tf.control_dependencies([train_op]):\n"
        "    train_op = tf.group(global_step.assign(new_global_step))\n",
    ),
}
# One ULP of a loss near 0.6 is 6e-8: `erf`, `exp` and `rsqrt` differ by one between the
# versions. Measured: one step of twenty by one ULP.
TOLERANCE = 3e-7

Losses = dict[int, float]


def _replace(path: pathlib.Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, (path, old)
    path.write_text(text.replace(old, new))


def _losses(directory: pathlib.Path) -> Losses:
    """Step -> the loss that the Estimator's summaries have of it."""
    from tensorflow.compat.v1.train import summary_iterator

    return {
        event.step: value.simple_value
        for path in sorted(directory.glob("events.out.tfevents.*"))
        for event in summary_iterator(str(path))
        for value in event.summary.value
        if value.tag in ("loss", "loss_1")
    }


def _trained(
    python: str, tree: pathlib.Path, model: pathlib.Path, preloaded: bool
) -> Losses:
    arguments = [f"--output_dir={model}", "--max_seq_length=16", f"--steps={STEPS}"]
    environment = {"TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "2"}
    command = [python, str(tree / "bert_classify.py"), *arguments]
    log = tree.parent / f"{tree.name}.log"  # Beside it: a tree is a part of proofs.
    if preloaded:
        with processes.started(command, log, environment) as process:
            code = process.wait(300)
    else:
        whole = processes.environment_with(environment)
        with log.open("w") as output:
            code = subprocess.run(
                command, stdout=output, stderr=output, env=whole, cwd=tree, timeout=300
            ).returncode
    assert code == 0, log.read_text()[-3000:]
    return _losses(model)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The package and the program, as TF1 code."""
    (package,) = [p for p in packages.PACKAGES if p.name == "bert-tensorflow"]
    work = tmp_path_factory.mktemp("bert")
    try:
        found = packages.unpacked(package, work)
    except packages.Unavailable as error:
        pytest.skip(f"the package index cannot be reached: {error}")
    shutil.copy(pathlib.Path(__file__).with_name("bert_classify.py"), found)
    for name, (old, new) in SETTLED.items():
        _replace(found / "bert" / name, old, new)
    return found


@pytest.fixture(scope="module")
def migrated(
    tree: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> pathlib.Path:
    from click.testing import CliRunner

    from migrate import cli

    target = tmp_path_factory.mktemp("migrated") / "tree"
    # Three files that the classifier does not load are refused, and would hold back what
    # they share with it.
    refused = ["--exclude=*_test.py", "--exclude=run_classifier_with_tfhub.py"]
    done = CliRunner().invoke(
        cli.main, ["migrate", str(tree), "--output", str(target), *refused]
    )
    assert done.exit_code == 0, done.output
    return target


@pytest.fixture(scope="module")
def in_graph_mode(
    tree: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> pathlib.Path:
    """Brings the package to graph mode, although it does not need the fallback."""
    target = tmp_path_factory.mktemp("in_graph_mode") / "tree"
    shutil.copytree(tree, target)
    texts = []
    for path in [target / "bert_classify.py", *sorted((target / "bert").glob("*.py"))]:
        if path.stem.endswith("_test"):
            continue
        starts = path.stem == "bert_classify"
        part = Part(starts=starts, own=frozenset({"bert"}))
        found = bring_to_compat(path.read_text(), Options(), str(path), part)
        assert not found.findings
        path.write_text(found.text)
        texts.append(found.text)
    beside.write(target, *texts)
    return target


@pytest.fixture(scope="module")
def theirs(
    tree: pathlib.Path, tf1: str, tmp_path_factory: pytest.TempPathFactory
) -> tuple[pathlib.Path, Losses]:
    """Trains with TensorFlow 1.15.5; returns the model's directory and the losses."""
    model = tmp_path_factory.mktemp("tf1") / "model"
    losses = _trained(tf1, tree, model, False)
    assert sorted(losses) == list(range(1, STEPS + 1))
    return model, losses


def _continued(
    migrated: pathlib.Path,
    begun: pathlib.Path,
    model: pathlib.Path,
    preloaded: bool = True,
) -> Losses:
    """The migrated program's losses, from TF1's checkpoint of step 0."""
    model.mkdir()
    for path in begun.glob("model.ckpt-0.*"):
        shutil.copy(path, model)
    (model / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-0"\n')
    return _trained(sys.executable, migrated, model, preloaded)


def _read_evaluation(model: pathlib.Path) -> dict[str, str]:
    return dict(line.split() for line in (model / "evaluated.txt").open())


@pytest.mark.parametrize("graph_mode", (False, True), ids=("migrated", "graph_mode"))
def test_the_classifier_follows_tf1(
    graph_mode: bool,
    tree: pathlib.Path,
    theirs: tuple[pathlib.Path, Losses],
    request: pytest.FixtureRequest,
    tmp_path: pathlib.Path,
) -> None:
    new = request.getfixturevalue("in_graph_mode" if graph_mode else "migrated")
    ledger.rests_on(tree, new)
    begun, expected = theirs
    ours = _continued(new, begun, tmp_path / "tf2", not graph_mode)
    assert ours.keys() == expected.keys()
    assert max(abs(ours[step] - expected[step]) for step in expected) <= TOLERANCE
    read = [_read_evaluation(model) for model in (begun, tmp_path / "tf2")]
    assert read[0].keys() == read[1].keys() >= {"eval_accuracy", "eval_loss"}
    assert read[0]["eval_accuracy"] == read[1]["eval_accuracy"]
    # Another weight decay shows.
    faulty = tmp_path / "faulty"
    shutil.copytree(new, faulty)
    decay = "weight_decay_rate=0.01"
    _replace(faulty / "bert" / "optimization.py", decay, "weight_decay_rate=0.02")
    other = _continued(faulty, begun, tmp_path / "other", not graph_mode)
    assert max(abs(other[step] - expected[step]) for step in expected) > 10 * TOLERANCE
