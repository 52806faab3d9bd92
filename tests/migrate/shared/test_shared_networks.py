"""Networks of model functions in other files: what goes along, and what keeps a model_fn."""

from __future__ import annotations

import pathlib

import pytest

from migrate.disk import discover
from migrate.file_result import FileResult
from migrate.findings import Outcome
from migrate.options import Options
from migrate.run import run_tree

NETWORK = """\
import tensorflow as tf


def inference(images, is_training):
    net = tf.layers.dense(images, 8, tf.nn.relu)
    net = tf.layers.dropout(net, 0.4, training=is_training)
    return tf.layers.dense(net, 3, name="logits")


def loss(logits, labels):
    return tf.losses.sparse_softmax_cross_entropy(labels, logits)
"""
MODEL = """\
import tensorflow as tf

import network


def model_fn(features, labels, mode):
    training = mode == tf.estimator.ModeKeys.TRAIN
    logits = network.inference(features["x"], training)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, {"logits": logits})
    loss = network.loss(logits, labels)
    train_op = tf.train.AdamOptimizer(0.01).minimize(
        loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""
PROGRAM = """\
import tensorflow as tf

from model import model_fn

estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
"""
FILES = {"network.py": NETWORK, "model.py": MODEL, "train.py": PROGRAM}


def _written(directory: pathlib.Path, files: dict[str, str]) -> pathlib.Path:
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text, "utf-8")
    return directory


def _migrated(
    directory: pathlib.Path, files: dict[str, str], *only: str
) -> dict[str, FileResult]:
    """The results by file; of the whole tree, or of some files of it."""
    _written(directory, files)
    given = [directory / name for name in only] or [directory]
    others = [name for name in files if name not in only] if only else []
    excluded = discover.Exclusions((discover.Patterns(directory, others),))
    found = {
        result.path.relative_to(directory).as_posix(): result
        for result in run_tree(given, Options(), jobs=1, exclusions=excluded)
    }
    assert not any(result.failed for result in found.values())
    return found


def _text(result: FileResult) -> str:
    return (result.new or result.path.read_bytes()).decode()


def _stays(found: dict[str, FileResult]) -> str:
    """Returns why the model_fn stays with all files as they were; "" if it does not."""
    reasons = [f.reason for r in found.values() for f in r.findings if f.code == "K110"]
    changed = [f for r in found.values() for f in r.findings if f.code == "K111"]
    assert bool(reasons) != bool(changed)
    classes = [name for name, r in found.items() if "tf_keras.Model" in _text(r)]
    assert bool(reasons) != bool(classes), reasons
    if reasons and "network.py" in found:
        assert "def inference(images, is_training):" in _text(found["network.py"])
    return "; ".join(dict.fromkeys(reasons))


def _changed(files: dict[str, str], name: str, old: str, new: str) -> dict[str, str]:
    assert old in files[name]
    return {**files, name: files[name].replace(old, new)}


def test_the_files_change_together(tmp_path: pathlib.Path) -> None:
    found = _migrated(tmp_path, FILES)
    assert not _stays(found)
    network = _text(found["network.py"])
    assert "def inference(images):\n" in network
    assert 'name="dense")(images)' in network and 'name="logits")(net)' in network
    assert 'logits = network.inference(features["x"])\n' in _text(found["model.py"])
    assert "from model import EstimatorModel" in _text(found["train.py"])
    (told,) = (f for f in found["network.py"].findings if f.code == "K111")
    assert told.outcome is Outcome.REWRITTEN and told.line == 4
    assert "EstimatorModel, the Keras model in model.py" in told.reason


@pytest.mark.parametrize("only", ["network.py", "model.py", "train.py"])
def test_one_file_by_itself_stays_what_the_others_know(
    tmp_path: pathlib.Path, only: str
) -> None:
    found = _migrated(tmp_path, FILES, only)
    text = _text(found[only])
    assert "tf_keras.Model" not in text and "tf_keras.layers.D" not in text
    for name in (
        "def inference(images, is_training)",
        "def model_fn",
        "import model_fn",
    ):
        assert (name in text) == (name in FILES[only])


def test_two_files_of_three_say_why(tmp_path: pathlib.Path) -> None:
    reason = _stays(_migrated(tmp_path, FILES, "model.py", "train.py"))
    said = "network.inference() is in another file, which is not migrated with it"
    assert said in reason


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("session.py", "import tensorflow as tf\nimport network\n\n"
         "x = tf.placeholder(tf.float32, [None, 4])\n"
         "with tf.Session() as sess:\n"
         "    print(sess.run(network.inference(x, False), {x: [[1, 2, 3, 4]]}))\n"),
        ("test_network.py", "from network import inference\n\n\n"
         "def test_it():\n    assert inference(None, True) is not None\n"),
        ("everything.py", "from network import *\n\nprint(inference)\n"),
        ("by_name.py", "import network\n\nf = getattr(network, 'inference')\n"),
        ("any_name.py", "import sys\nimport network\n\n"
         "f = getattr(network, sys.argv[1])\n"),
        ("any_module.py", "import importlib\nimport sys\n\n"
         "m = importlib.import_module(sys.argv[1])\nm.inference(None, True)\n"),
        ("any_both.py", "import importlib\nimport sys\n\n"
         "m = importlib.import_module(sys.argv[1])\nf = getattr(m, sys.argv[2])\n"),
        ("python_2.py", "import network\nprint network.inference(None, True)\n"),
        ("notebook.ipynb", '{"cells": [{"cell_type": "code", "metadata": {}, "source": '
         '["from network import inference"], "outputs": [], "execution_count": null}], '
         '"metadata": {}, "nbformat": 4, "nbformat_minor": 2}'),
    ],
)  # fmt: skip
def test_another_user_keeps_the_function(
    tmp_path: pathlib.Path, file: str, text: str
) -> None:
    _written(tmp_path, {**FILES, file: text})
    found = {r.path.name: r for r in run_tree([tmp_path], Options(), jobs=1)}
    found.pop(file)
    reason = _stays(found)
    if file == "any_both.py":  # Which may have the model_fn, too.
        assert "which any_both.py may use, too" in reason
    else:
        assert f"inference() makes layers, and {file} may call it, too" in reason


@pytest.mark.parametrize(
    "text",
    [
        # Another function by this name, TensorFlow's, and a word in a comment.
        "def inference(x):\n    return x\n\n\nprint(inference(1))\n",
        "import tensorflow as tf\n\n# network.inference is elsewhere\nx = tf.constant(1)\n",
        "import network\n\nprint(network.loss)\n",
    ],
)
def test_other_files_of_the_tree_may_be_there(
    tmp_path: pathlib.Path, text: str
) -> None:
    found = _migrated(tmp_path, {**FILES, "other.py": text})
    assert not _stays({n: r for n, r in found.items() if n != "other.py"})


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        # Its own file calls it too.
        ("network.py", "def loss(", "def two(x):\n    return inference(x, False)\n\n\n"
         "def loss(", "inference() makes layers, and other code calls it, too"),
        # Its file has more that cannot be migrated.
        ("network.py", "def loss(", "tf.contrib.learn.DNNClassifier([], [1])\n\n\n"
         "def loss(", "with network.py, which cannot be migrated completely"),
        # It is more than layers.
        ("network.py", "    return tf.layers.dense(net, 3",
         "    if is_training:\n        net = tf.tile(net, [1, 1])\n"
         "    return tf.layers.dense(net, 3", "network.py, line "),
        # It takes another function's scope.
        ("network.py", "    net = tf.layers.dense(images, 8, tf.nn.relu)\n",
         "    with tf.variable_scope(images.name):\n        net = first(images)\n",
         "that another function names"),
        # One mode calls it again.
        ("model.py", "    loss = network.loss(logits, labels)\n",
         "    logits += network.inference(features['y'], False)\n"
         "    loss = network.loss(logits, labels)\n", "in mode PREDICT it has other layers"),
    ],
)  # fmt: skip
def test_what_is_not_certain_stays(
    tmp_path: pathlib.Path, file: str, old: str, new: str, reason: str
) -> None:
    files = _changed(FILES, file, old, new)
    if "first(" in new:
        files["network.py"] += (
            "\n\ndef first(x):\n    return tf.layers.dense(x, 8, tf.nn.relu)\n"
        )
    found = _migrated(tmp_path, files)
    assert reason in _stays(found)


def test_a_function_of_the_model_s_own_file_stays_where_others_have_it(
    tmp_path: pathlib.Path,
) -> None:
    """It would lose its parameter, and make Keras layers in another program's graph."""
    model = NETWORK + MODEL.replace("import tensorflow as tf\n\nimport network\n", "")
    files = {
        "model.py": model.replace("network.", "").replace("loss(l", "error(l"),
        "train.py": PROGRAM,
        "session.py": "import tensorflow as tf\nimport model\n\n"
        "x = tf.placeholder(tf.float32, [None, 4])\n"
        "logits = model.inference(x, False)\n",
    }
    assert not _stays_alone(_migrated(tmp_path / "a", {**files, "session.py": ""}))
    reason = _stays_alone(_migrated(tmp_path / "b", files))
    assert "inference() makes layers, and session.py may call it, too" in reason


def _stays_alone(found: dict[str, FileResult]) -> str:
    return "; ".join(
        f.reason for r in found.values() for f in r.findings if f.code == "K110"
    )


def test_a_loss_by_sums_in_another_file_stays(tmp_path: pathlib.Path) -> None:
    """Replicas add such losses up, which the class would not know of."""
    files = _changed(
        FILES, "network.py", "(labels, logits)",
        "(\n        labels, logits, reduction=tf.losses.Reduction.SUM)",
    )  # fmt: skip
    assert (
        "a function of the program makes a loss with a `reduction` argument"
        in _stays(_migrated(tmp_path, files))
    )


def test_a_model_fn_with_its_estimator_says_which_file_stops_it(
    tmp_path: pathlib.Path,
) -> None:
    refused = "tf.contrib.learn.DNNClassifier([], [1])\n\n\ndef loss("
    files = _changed(FILES, "network.py", "def loss(", refused)
    files["model.py"] += (
        '\n\nestimator = tf.estimator.Estimator(model_fn, "/tmp/model")\n'
    )
    reason = _stays({n: r for n, r in _migrated(tmp_path, files).items()})
    assert "some files that use it cannot be changed with it (network.py)" in reason


def test_penalties_in_another_file_stay(tmp_path: pathlib.Path) -> None:
    files = _changed(
        FILES, "network.py", "(labels, logits)",
        "(\n        labels, logits) + tf.losses.get_regularization_loss()",
    )  # fmt: skip
    reason = _stays(_migrated(tmp_path, files))
    assert (
        "a function that a step calls uses tf.losses.get_regularization_loss" in reason
    )


def test_modules_by_other_names(tmp_path: pathlib.Path) -> None:
    """Aliases, packages, relative imports, names from a package's __init__."""
    files = {
        "nets/__init__.py": "from .plain import inference as infer\n",
        "nets/plain.py": NETWORK.split("\n\ndef loss")[0] + "\n",
        "nets/losses.py": "import tensorflow as tf\n\n\ndef loss"
        + NETWORK.split("\n\ndef loss")[1],
        "model.py": MODEL.replace(
            "import network\n",
            "import nets\nimport nets.losses\nfrom nets import losses as L\n",
        )
        .replace("network.inference", "nets.infer")
        .replace("network.loss", "nets.losses.loss"),
        "train.py": PROGRAM.replace("from model import model_fn", "import model as m")
        .replace("(model_fn", "(m.model_fn"),
    }  # fmt: skip
    found = _migrated(tmp_path, files)
    assert not _stays(found)
    assert 'nets.infer(features["x"])\n' in _text(found["model.py"])
    assert "def inference(images):" in _text(found["nets/plain.py"])
    assert "m.EstimatorModel" in _text(found["train.py"])


def test_the_estimators_option_leaves_all(tmp_path: pathlib.Path) -> None:
    _written(tmp_path, FILES)
    options = Options(estimators="model_fn")
    found = list(run_tree([tmp_path], options, jobs=1))
    assert not any("tf_keras.Model" in _text(r) for r in found)
    assert not any(f.code.startswith("K") for r in found for f in r.findings)


def test_reports_that_leave_a_code_out_change_nothing_else(
    tmp_path: pathlib.Path,
) -> None:
    _written(tmp_path, FILES)
    every = {r.path: r.new for r in run_tree([tmp_path], Options(), jobs=1)}
    quiet = Options(ignore=("K",))
    assert {r.path: r.new for r in run_tree([tmp_path], quiet, jobs=1)} == every


def _with(network: str) -> dict[str, str]:
    """The files with another network, which is told the mode."""
    files = _changed(
        FILES, "model.py", '(features["x"], training)', '(features["x"], mode)'
    )
    loss = "\n\ndef loss" + NETWORK.split("\n\ndef loss")[1]
    head = "import tensorflow as tf\n\n\n"
    return {**files, "network.py": head + network + loss}


def test_a_function_is_told_the_mode(tmp_path: pathlib.Path) -> None:
    found = _migrated(tmp_path, _with("""\
def inference(images, mode):
    training = mode == tf.estimator.ModeKeys.TRAIN
    with tf.variable_scope("net"):
        net = images
        for i in range(2):
            with tf.variable_scope("block%d" % i):
                net = tf.layers.dense(net, 4)
        if mode == tf.estimator.ModeKeys.TRAIN:
            net = tf.layers.dropout(net, 0.4, training=training)
        return tf.layers.dense(net, 3, name="logits")
"""))  # fmt: skip
    assert not _stays_alone(found)
    network = _text(found["network.py"])
    expected = """\
def inference(images):
    net = images
    for i in range(2):
        net = tf_keras.layers.Dense(
            units=4,
            name="net/block%d/dense" % i)(net)
    net = tf_keras.layers.Dropout(rate=0.4)(net)
    return tf_keras.layers.Dense(units=3, name="net/logits")(net)
"""
    assert expected in network, network
    assert 'network.inference(features["x"])\n' in _text(found["model.py"])


@pytest.mark.parametrize(
    ("network", "reason"),
    [
        # More than dropout depends on the mode.
        ("def inference(images, mode):\n"
         "    net = images\n"
         "    if mode == tf.estimator.ModeKeys.TRAIN:\n"
         "        net = tf.layers.dense(net, 4)\n"
         "    return tf.layers.dense(net, 3, name='logits')\n", "inference() uses `"),
        # It keeps the mode for something else.
        ("def inference(images, mode):\n"
         "    net = tf.layers.dense(images, 4 if mode == 'train' else 5)\n"
         "    return tf.layers.dense(net, 3, name='logits')\n", "inference() uses `"),
        # All rounds have one scope.
        ("def inference(images, mode):\n"
         "    net = images\n"
         "    for i in range(2):\n"
         "        with tf.variable_scope('block'):\n"
         "            net = tf.layers.dense(net, 4)\n"
         "    return tf.layers.dense(net, 3, name='logits')\n", "each time in another variable scope"),
    ],
)  # fmt: skip
def test_shapes_that_are_not_certain_stay(
    tmp_path: pathlib.Path, network: str, reason: str
) -> None:
    found = _migrated(tmp_path, _with(network))
    assert reason in _stays_alone(found)
    assert "tf_keras.Model" not in _text(found["model.py"])
    assert "def inference(images, mode)" in _text(found["network.py"])


def test_a_block_of_several_scopes_is_told_which(tmp_path: pathlib.Path) -> None:
    found = _migrated(
        tmp_path,
        _with(
            "def block(x, name):\n"
            "    return tf.layers.dense(x, 4, name=name)\n\n\n"
            "def inference(images, mode):\n"
            "    with tf.variable_scope('net'):\n"
            "        net = block(images, 'a')\n"
            "    net = block(net, 'b')\n"
            "    return tf.layers.dense(net, 3, name='logits')\n"
        ),
    )
    text = _text(found["network.py"])
    assert "def block(x, name, prefix):" in text
    assert "name=prefix + name)(x)" in text
    assert "net = block(images, 'a', prefix=\"net/\")" in text
    assert "net = block(net, 'b', prefix=\"\")" in text
