"""Files that use no name of TensorFlow 1's alone, beside programs that do."""

from __future__ import annotations

import pathlib

import pytest

from migrate.options import Options
from migrate.run import run_tree

COMMON = """\
import tensorflow as tf


def uniform(seed):
    return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def dropped(x, kept):
    return tf.nn.dropout(x, kept)
"""
MODEL = """\
import tensorflow as tf
{}


def model_fn(features, labels, mode):
    x = tf.layers.dense(features["x"], 3, kernel_initializer={}uniform(1))
    loss = tf.losses.mean_squared_error(labels, x)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
"""


def new(directory: pathlib.Path, files: dict[str, str], name: str) -> str:
    for path, text in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(text, "utf-8")
    for result in run_tree([directory], Options(), jobs=1):
        if result.path.name == name:
            return (result.new or result.path.read_bytes()).decode()
    raise AssertionError(name)


@pytest.mark.parametrize(
    ("imports", "prefix", "files"),
    [
        ("from common import uniform", "", {}),
        ("import common", "common.", {}),
        ("from common import *", "", {}),
        ("from middle import uniform", "", {"middle.py": "from common import *\n"}),
        ("from parts import common as c", "c.", {"parts/common.py": COMMON}),
    ],
)
def test_a_name_of_both_is_tensorflow_1s_there(
    imports: str, prefix: str, files: dict[str, str], tmp_path: pathlib.Path
) -> None:
    """Whose uniform initializer has another range by default, and whose dropout keeps."""
    files = {"train.py": MODEL.format(imports, prefix), **files}
    if "parts/common.py" not in files:
        files["common.py"] = COMMON
    text = new(tmp_path, files, "common.py")
    assert "return tf.compat.v1.random_uniform_initializer(-0.5" in text
    assert "return tf.nn.dropout(x, kept)" not in text
    directory = next(tmp_path.rglob("common.py")).parent
    (directory / "common.py").write_text(text)
    assert new(tmp_path, {}, "common.py") == text


def test_a_file_of_keras_networks_has_the_keras_of_graphs(
    tmp_path: pathlib.Path,
) -> None:
    nets = (
        "import tensorflow as tf\n\n\n"
        "class Net(tf.keras.Model):\n    pass\n\n\nuniform = Net\n"
    )
    files = {"train.py": MODEL.format("from common import uniform", "")}
    text = new(tmp_path, {**files, "common.py": nets}, "common.py")
    assert "class Net(tf_keras.Model):" in text
    files = {
        "train.py": "import tensorflow as tf\nimport common\nprint(tf.math.log(2.0))\n"
    }
    assert new(tmp_path, {**files, "common.py": nets}, "common.py") == nets


@pytest.mark.parametrize(
    ("path", "program"),
    [
        # Nobody imports it.
        ("train.py", MODEL.format("", "").replace("uniform(1)", "None")),
        # TensorFlow 2's does.
        ("train.py", "import tensorflow as tf\nfrom common import uniform\n"
         "print(tf.math.log(2.0), uniform(3))\n"),
        # That of compat.v1, which may be of either.
        ("train.py", "import tensorflow.compat.v1 as tf\nfrom common import uniform\n"
         "print(tf.layers, uniform(3))\n"),
        # Another file of its name.
        ("deep/train.py", MODEL.format("from .common import uniform", "")),
    ],
)  # fmt: skip
def test_else_it_is_tensorflow_2s(
    path: str, program: str, tmp_path: pathlib.Path
) -> None:
    files = {"deep/common.py": "uniform = None\n", path: program, "common.py": COMMON}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = {r.path: r for r in run_tree([tmp_path], Options(), jobs=1)}
    assert not found[tmp_path / "common.py"].changed
