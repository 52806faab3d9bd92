"""Columns that only a graph takes keep the model_fn of whatever program they are in.

`tests/programs/trees/shared_columns` is run and compared; here is what is of a program.
"""

from __future__ import annotations

import pathlib

import pytest

from migrate.run import run_tree

COLUMNS = """\
import tensorflow as tf


def columns():
    ids = tf.feature_column.categorical_column_with_hash_bucket("a", 100)
    return tf.feature_column.shared_embedding_columns([ids], 4)
"""
MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode, params):
    net = tf.feature_column.input_layer(features, params["columns"])
    out = tf.layers.dense(net, 1)
    loss = tf.losses.mean_squared_error(labels, out)
    optimizer = tf.train.AdagradOptimizer(0.1)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""
TRAIN = "estimator = tf.estimator.Estimator(model_fn, params={'columns': columns()})\n"


def _kept(directory: pathlib.Path, files: dict[str, str]) -> dict[str, str]:
    """Maps each file that keeps a model_fn to the reason."""
    for name, text in files.items():
        (directory / name).write_text(text)
    results = list(run_tree([directory], jobs=1))
    assert not [f for r in results for f in r.findings if f.outcome.name == "FAILED"]
    return {
        r.path.name: f.reason for r in results for f in r.findings if f.code == "K110"
    }


@pytest.mark.parametrize(
    "files",
    [
        {"train.py": f"from cols import columns\n{MODEL}\n{TRAIN}", "cols.py": COLUMNS},
        {
            "train.py": "import tensorflow as tf\nfrom cols import columns\n"
            f"from model import model_fn\n{TRAIN}",
            "model.py": MODEL,
            "cols.py": COLUMNS,
        },
        {
            "train.py": f"from model import model_fn\n{COLUMNS}\n{TRAIN}",
            "model.py": MODEL,
        },
        {
            "train.py": f"from inputs import columns\n{MODEL}\n{TRAIN}",
            "inputs.py": "from cols import *\n",
            "cols.py": COLUMNS,
        },
    ],
    ids=["own_model", "three_files", "own_columns", "by_a_star"],
)
def test_the_model_fn_stays(files: dict[str, str], tmp_path: pathlib.Path) -> None:
    kept = _kept(tmp_path, files)
    maker = "cols.py" if "cols.py" in files else "train.py"
    reason = f"a Keras layer does not accept feature columns of {maker}"
    assert kept.keys() == {"train.py"} and reason in kept["train.py"], kept


def test_another_program_of_the_tree_becomes_a_keras_model(
    tmp_path: pathlib.Path,
) -> None:
    other = "from plain import columns\n" + MODEL + "\n" + TRAIN
    plain = COLUMNS.replace(
        "shared_embedding_columns([ids], 4)", "indicator_column(ids)"
    )
    files = {"other.py": other, "plain.py": plain, "cols.py": COLUMNS}
    files["train.py"] = f"from cols import columns\n{MODEL}\n{TRAIN}"
    assert _kept(tmp_path, files).keys() == {"train.py"}
