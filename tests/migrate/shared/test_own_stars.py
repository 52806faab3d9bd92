"""Functions of the user's own that `from model import *` brings."""

from __future__ import annotations

import pathlib

import pytest

from migrate.file_result import FileResult
from migrate.options import Options
from migrate.run import run_tree

MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features["x"], 2)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, {"logits": logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.01).minimize(
        loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": [[1.0]]}, [1])).batch(1)


RATE = 0.5
_PRIVATE = 1
"""
# Which has TensorFlow by the star too.
TRAIN = """\
{}

estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
estimator.train(input_fn, steps=2)
"""
STAR = TRAIN.format("from model import *")


def tree(directory: pathlib.Path, files: dict[str, str]) -> dict[str, FileResult]:
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text, "utf-8")
    return {
        result.path.relative_to(directory).as_posix(): result
        for result in run_tree([directory], Options(), jobs=1)
    }


def text(result: FileResult) -> str:
    return (result.new or result.path.read_bytes()).decode()


FOLLOWED = {
    "one": ({}, "from model import *", "from model import input_fn, EstimatorModel"),
    "a comment": (
        {},
        "from model import *  # all of it",
        "from model import input_fn, EstimatorModel",
    ),
    "listed": (
        {"model.py": MODEL + "__all__ = ['model_fn', 'input_fn', 'tf']\n"},
        "from model import *",
        "from model import input_fn, EstimatorModel",
    ),
    "its own name": (
        {},
        "from model import *\nRATE = 0.1\nprint(RATE)",
        "from model import input_fn, EstimatorModel",
    ),
    "the same import twice": (
        {"model.py": "import os\n" + MODEL},
        "import os\nfrom model import *\nprint(os.name)",
        "from model import input_fn, EstimatorModel",
    ),
    "TensorFlow itself after it": (
        {},
        "from model import *\nimport tensorflow as tf",
        "from model import input_fn, EstimatorModel",
    ),
    "after a package's": (
        {},
        "from math import *\nfrom model import *",
        "from model import input_fn, EstimatorModel",
    ),
    "a star that brings nothing used": (
        {"other.py": "import os\nx = 1\n"},
        "from model import *\nfrom other import *",
        "from model import input_fn, EstimatorModel",
    ),
    "a condition that always binds": (
        {"model.py": "try:\n    import json\nexcept ImportError:\n    json = None\n"
         + MODEL},
        "from model import *\nprint(json)",
        "from model import input_fn, json, EstimatorModel",
    ),
    "what only the program binds": (
        {"model.py": MODEL + "if __name__ == '__main__':\n    estimator = 1\n"},
        "from model import *",
        "from model import input_fn, EstimatorModel",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FOLLOWED)
def test_a_star_is_read_as_the_names_it_brings(
    case: str, tmp_path: pathlib.Path
) -> None:
    files, statement, written = FOLLOWED[case]
    files = {"model.py": MODEL, "train.py": TRAIN.format(statement), **files}
    found = tree(tmp_path, files)
    new = text(found["train.py"])
    assert "keras_estimator.Estimator(EstimatorModel" in new, new
    assert written in new.split("\n") or f"{written}  # all of it" in new, new
    assert "T118" in {f.code for f in found["train.py"].findings}
    assert "class EstimatorModel(tf_keras.Model)" in text(found["model.py"])
    for name, result in found.items():
        (tmp_path / name).write_text(text(result))
    again = list(run_tree([tmp_path], Options(), jobs=1))
    assert not any(result.changed for result in again)


def test_stars_of_stars(tmp_path: pathlib.Path) -> None:
    files = {
        "parts/__init__.py": "",
        "parts/model.py": MODEL,
        "parts/every.py": "from .model import *\n\n\ndef helper():\n    return RATE\n",
        "train.py": TRAIN.format("from parts.every import *\nprint(helper())"),
    }
    found = tree(tmp_path, files)
    assert "EstimatorModel" not in text(found["parts/model.py"])
    # What hands it on would have to name the class: that is not followed.
    assert "K110" in {f.code for f in found["train.py"].findings}


def test_tensorflow_comes_by_two_stars(tmp_path: pathlib.Path) -> None:
    files = {
        "config.py": "import tensorflow as tf\n\nRATE = 0.5\n",
        "layers.py": "from config import *\n\n\ndef helper(x):\n    return tf.log(x)\n",
        # Bound twice, to one and the same thing.
        "model.py": "from layers import *\n" + MODEL,
        "train.py": TRAIN.format("from config import *\nfrom model import *"),
    }
    new = text(tree(tmp_path, files)["train.py"])
    assert "keras_estimator.Estimator(EstimatorModel" in new, new


def test_a_star_stays_where_its_names_do(tmp_path: pathlib.Path) -> None:
    files = {
        "model.py": MODEL.replace("tf.layers.dense(", "tf.contrib.rnn.LSTMCell("),
        "inputs.py": MODEL,
        "train.py": TRAIN.format("from model import *\nfrom inputs import *"),
    }
    found = tree(tmp_path, files)
    new = text(found["train.py"])
    assert "from model import *\n" in new and "EstimatorModel" in new
    files["train.py"] = STAR.replace("tf.estimator.Estimator", "print")
    new = text(tree(tmp_path, files)["train.py"])
    assert new == files["train.py"]


UNSURE = {
    "bound under a condition": (
        {"model.py": MODEL.replace("RATE = 0.5", "if tf:\n    RATE = 0.5")},
        "from model import *\nprint(RATE)",
    ),
    "a loop's": (
        {"model.py": MODEL.replace("RATE = 0.5", "for RATE in []:\n    pass")},
        "from model import *\nprint(RATE)",
    ),
    "deleted": (
        {"model.py": MODEL + "del RATE\n"},
        "from model import *\nprint(RATE)",
    ),
    "names by their text here": ({}, "from model import *\nprint(globals()['RATE'])"),
    "names by their text there": (
        {"model.py": MODEL + "globals()['model_fn'] = None\n"},
        "from model import *",
    ),
    "evaluated": ({}, "from model import *\nprint(eval('RATE'))"),
    "a package's after it": ({}, "from model import *\nfrom math import *"),
    "a package's inside": (
        {"model.py": "from math import *\n" + MODEL},
        "from model import *",
    ),
    "under a condition": ({}, "try:\n    from model import *\nexcept ImportError:\n    pass"),
    "a circle": (
        {"model.py": "import train\n" + MODEL},
        "from model import *",
    ),
    "another of the name": (
        {"other.py": "def model_fn(features, labels, mode):\n    return None\n"},
        "from model import *\nfrom other import *\nprint(RATE)",
    ),
    "bound anew": ({}, "from model import *\nif tf:\n    model_fn = None"),
    "list that is not certain": (
        {"model.py": MODEL + "__all__ = [n for n in dir() if n[0] != '_']\n"},
        "from model import *",
    ),
    "not in the list": (
        {"model.py": MODEL + "__all__ = ['tf', 'RATE']\n"},
        "from model import *",
    ),
    "Python 2": ({"model.py": MODEL + "print 1\n"}, "from model import *"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNSURE)
def test_what_a_star_brings_is_not_certain(case: str, tmp_path: pathlib.Path) -> None:
    files, statement = UNSURE[case]
    start = "import tensorflow as tf\n"
    files = {"model.py": MODEL, "train.py": TRAIN.format(start + statement), **files}
    found = tree(tmp_path, files)
    assert "T118" not in {f.code for r in found.values() for f in r.findings}
    assert "EstimatorModel" not in text(found["model.py"])
    assert statement.split("\n")[0] in text(found["train.py"])


def test_names_that_other_files_take_are_imported_too(tmp_path: pathlib.Path) -> None:
    files = {
        "model.py": MODEL,
        "train.py": STAR,
        "report.py": "import train\n\nprint(train.RATE)\n",
        "sweep.py": "from train import estimator\n",
    }
    new = text(tree(tmp_path, files)["train.py"])
    assert "from model import RATE, input_fn, EstimatorModel\n" in new


def test_long_imports_go_into_parentheses(tmp_path: pathlib.Path) -> None:
    names = [f"a_rather_long_name_{i}" for i in range(6)]
    model = MODEL + "".join(f"{name} = 1\n" for name in names)
    use = f"from model import *\nprint({', '.join(names)})"
    found = tree(tmp_path, {"model.py": model, "train.py": TRAIN.format(use)})
    new = text(found["train.py"])
    assert "from model import (\n    a_rather_long_name_0,\n" in new
    compile(new, "train.py", "exec")


def test_each_directory_has_its_own_model(tmp_path: pathlib.Path) -> None:
    """Files of one name: what is beside a program is meant."""
    files = {
        f"{place}/{name}": content
        for place in ("small", "large")
        for name, content in (("model.py", MODEL), ("train.py", STAR))
    }
    files["small/export.py"] = STAR
    found = tree(tmp_path, files)
    for name in ("small/train.py", "small/export.py", "large/train.py"):
        assert "keras_estimator.Estimator(EstimatorModel" in text(found[name]), name


def test_a_package_may_mean_another(tmp_path: pathlib.Path) -> None:
    """Whose modules may be imported from above: `import model` is then another file."""
    plain = "import tensorflow as tf\nfrom model import *"
    files = {
        "model.py": MODEL,
        "train.py": TRAIN.format(plain),
        "other/__init__.py": "",
        "other/model.py": "model_fn = None\n",
        "other/use.py": "from model import model_fn\nprint(model_fn)\n",
    }
    found = tree(tmp_path, files)
    (finding,) = (f for f in found["train.py"].findings if f.code == "K110")
    assert "which use.py may use, too" in finding.reason


REFUSED = """\
import tensorflow as tf
from model import model_fn, input_fn

estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
seen = [p["logits"] for p in estimator.predict(input_fn)]
kept = tf.Variable(seen)
with tf.Session() as sess:
    sess.run(kept.initializer)
with tf.Session() as sess:
    tf.train.Saver().save(sess, "/tmp/kept")
"""


def test_a_refused_file_does_not_hold_back_the_others(tmp_path: pathlib.Path) -> None:
    files = {"model.py": MODEL, "train.py": STAR, "show.py": REFUSED}
    found = tree(tmp_path, files)
    assert "keras_estimator.Estimator(EstimatorModel" in text(found["train.py"])
    told = [f for f in found["show.py"].findings if f.code == "K180"]
    assert [(f.line, f.outcome.name) for f in told] == [(2, "REFUSED")]
    assert "model_fn of model.py becomes a Keras model" in told[0].reason
    assert "N100" in {f.code for f in found["show.py"].findings}
    note = "K180 model_fn of model.py becomes a Keras model"
    assert note in text(found["show.py"]).split("\n")[1]
    for name, result in found.items():
        (tmp_path / name).write_text(text(result))
    assert not any(r.changed for r in run_tree([tmp_path], Options(), jobs=1))


@pytest.mark.parametrize(
    "other",
    [
        # All that have it are refused.
        None,
        # Not an Estimator's.
        REFUSED.replace("tf.estimator.Estimator(model_fn", "print(model_fn"),
        # It is read elsewhere, too.
        REFUSED + "print(model_fn)\n",
    ],
)
def test_where_a_refused_file_holds_them_back(
    other: str | None, tmp_path: pathlib.Path
) -> None:
    files = {"model.py": MODEL, "show.py": REFUSED}
    if other is not None:
        files |= {"train.py": STAR, "show.py": other}
    found = tree(tmp_path, files)
    assert "K180" not in {f.code for r in found.values() for f in r.findings}
    assert "EstimatorModel" not in text(found["model.py"])


def test_several_files_have_one_model_fn_together(tmp_path: pathlib.Path) -> None:
    """All of them become Keras, or none does."""
    export = TRAIN.format("import tensorflow as tf\nimport model").replace(
        "model_fn,", "model.model_fn,"
    ).replace("input_fn,", "model.input_fn,")  # fmt: skip
    files = {"model.py": MODEL, "train.py": STAR, "export.py": export}
    found = tree(tmp_path, files)
    for name in ("train.py", "export.py"):
        assert "keras_estimator.Estimator(" in text(found[name]), name
    (tmp_path / "one").mkdir()
    files["check.py"] = "from model import model_fn\nprint(model_fn)\n"
    found = tree(tmp_path / "one", files)
    for name in ("train.py", "export.py"):
        (finding,) = (f for f in found[name].findings if f.code == "K110")
        assert "check.py may use, too" in finding.reason


def test_a_list_of_names_has_the_class(tmp_path: pathlib.Path) -> None:
    listed = "__all__ = ['model_fn', 'input_fn', 'RATE']\n"
    files = {
        "model.py": MODEL + listed,
        "train.py": TRAIN.format("import tensorflow as tf\nfrom model import *"),
        "rate.py": "import tensorflow as tf\nfrom model import *\nprint(tf.log(RATE))\n",
    }
    found = tree(tmp_path, files)
    new = text(found["model.py"])
    assert "__all__ = [\"EstimatorModel\", 'input_fn', 'RATE']\n" in new
    assert "from model import *\n" in text(found["rate.py"])
