"""Hooks of one file whose objects others make: which become callbacks, and why not."""

from __future__ import annotations

import pathlib

import pytest

from migrate.options import Options
from migrate.run import run_tree

_HOOKS = """
import tensorflow as tf


class Told(tf.train.SessionRunHook):
    def __init__(self, loss, every=1):
        self._loss, self._every = loss, every

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        print(run_values.results, self._every)


class Counted(tf.train.SessionRunHook):
    def begin(self):
        self.count = 0

    def after_run(self, run_context, run_values):
        self.count += 1
"""
_MODEL = """
import tensorflow as tf

from hooks import Told


def model_fn(features, labels, mode):
    out = tf.layers.dense(features, 1, name="out")
    loss = tf.losses.mean_squared_error(labels, out)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=train_op, training_hooks=[Told(loss)])
"""
_TRAIN = """
import tensorflow as tf

import hooks
from model import model_fn

counted = hooks.Counted()
estimator = tf.estimator.Estimator(model_fn, "model")
estimator.train(input_fn, hooks=[counted], steps=3)
"""
_FILES = {"hooks.py": _HOOKS, "model.py": _MODEL, "train.py": _TRAIN}


def _tree(
    directory: pathlib.Path, files: dict[str, str]
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Migrates files; returns their texts, and the reasons of K131."""
    for name, text in {**_FILES, **files}.items():
        (directory / name).write_text(text)
    results = {
        r.path.name: r
        for r in run_tree([directory], Options(estimators="estimator"), jobs=1)
    }
    texts = {n: (r.new or r.old or b"").decode() for n, r in results.items()}
    told = {
        n: [f.reason for f in r.findings if f.code == "K131"]
        for n, r in results.items()
    }
    return texts, told


def test_classes_of_a_file_become_callbacks_with_those_that_make_them(
    tmp_path: pathlib.Path,
) -> None:
    texts, told = _tree(tmp_path, {})
    assert not any(told.values())
    assert texts["hooks.py"].count("(tf_keras.callbacks.Callback)") == 2
    assert "estimator_loop" not in texts["hooks.py"]
    assert 'Told("loss")' in texts["model.py"]
    assert "def training_hooks(self):" in texts["model.py"]
    assert "counted = hooks.Counted()" in texts["train.py"]


def test_another_name_and_a_list_of_its_own(tmp_path: pathlib.Path) -> None:
    model = _MODEL.replace("import Told", "import Told as T").replace(
        "[Told(loss)]", "[logger]"
    )
    model = model.replace("    return tf.estimator.EstimatorSpec(\n",
                          "    logger = T(loss=loss, every=2)\n"
                          "    return tf.estimator.EstimatorSpec(\n")  # fmt: skip
    texts, told = _tree(tmp_path, {"model.py": model})
    assert not any(told.values())
    assert (
        'logger = T(loss="loss", every=2)\n        return [logger]'
        in (texts["model.py"])
    )


@pytest.mark.parametrize(
    ("files", "name", "reason"),
    [
        # Somebody else calls it.
        (
            {"other.py": "import tensorflow as tf\nfrom hooks import Counted\n"
             "with tf.train.MonitoredTrainingSession(hooks=[Counted()]) as sess:\n"
             "    sess.run(train_op)\n"},
            "Counted", "other.py, line 3: the tool cannot tell in which Estimator's",
        ),
        ({"other.py": "import hooks\nprint(getattr(hooks, name))\n"}, "Counted",
         "other.py may use it, too"),
        ({"other.py": "def f():\n    from hooks import Counted\n    return Counted()\n"},
         "Counted", "other.py may use it, too"),
        ({"other.py": "from hooks import Counted\n\n\nclass Mine(Counted):\n    pass\n"},
         "Counted", "other.py, line 4: the program stores the class itself"),
        # An Estimator of another kind.
        ({"train.py": _TRAIN + "e = tf.estimator.LinearRegressor([])\n"}, "Counted",
         "in train.py: an Estimator here has no Keras model"),
        # What the step does not return.
        ({"model.py": _MODEL.replace("Told(loss)", "Told(2 * loss)")}, "Told",
         "in model.py: it receives `2 * loss`, which train_step does not return"),
        # In one form here and in another there.
        ({"model.py": _MODEL.replace("[Told(loss)]", "[Told(loss), Told([loss])]")},
         "Told", "other files pass `loss` to it in different forms"),
        # Its own file makes some.
        ({"hooks.py": _HOOKS + "\n\nEVERY = [Counted()]\n"}, "Counted",
         "its own file makes objects of it, too"),
        # It stops evaluations.
        ({"hooks.py": _HOOKS.replace("self.count += 1", "run_context.request_stop()"),
          "train.py": _TRAIN + "estimator.evaluate(input_fn, hooks=[hooks.Counted()])\n"},
         "Counted", "no callback stops an evaluation"),
        # What a step is on several devices another file says.
        ({"hooks.py": _HOOKS.replace(
            "self.count += 1",
            "print(run_context.session.run(tf.train.get_global_step()))"),
          "config.py": "import tensorflow as tf\n"
          "s = tf.distribute.MirroredStrategy()\n"},
         "Counted", "on several devices TensorFlow 1"),
    ],
)  # fmt: skip
def test_why_a_class_of_another_file_stays_a_hook(
    files: dict[str, str], name: str, reason: str, tmp_path: pathlib.Path
) -> None:
    texts, told = _tree(tmp_path, files)
    assert any(t.startswith(f"{name} ") and reason in t for t in told["hooks.py"]), told
    assert f"class {name}(estimator_loop.SessionRunHook)" in texts["hooks.py"]
    # Nobody else changes with it.
    assert f"{name} is a callback" not in "".join(told["train.py"] + told["model.py"])


def test_a_hook_beside_its_model_fn_needs_no_estimator_in_its_file(
    tmp_path: pathlib.Path,
) -> None:
    model = _MODEL.replace("from hooks import Told\n", _HOOKS.partition("tf\n")[2])
    texts, told = _tree(tmp_path, {"model.py": model})
    assert "class Told(tf_keras.callbacks.Callback)" in texts["model.py"]
    assert 'Told("loss")' in texts["model.py"]
    # Nothing makes it.
    assert "class Counted(estimator_loop.SessionRunHook)" in texts["model.py"]
    assert [t.split()[0] for t in told["model.py"]] == ["Counted"]


def test_a_function_for_any_estimator_keeps_its_hooks(tmp_path: pathlib.Path) -> None:
    """Another file may give it an Estimator that runs a graph."""
    model = _MODEL + (
        "\n\nclass Mine(tf.train.SessionRunHook):\n"
        "    def after_run(self, run_context, run_values):\n"
        "        print('step')\n"
        "\n\ndef train(estimator):\n"
        "    estimator.train(input_fn, hooks=[Mine()])\n"
    )
    texts, told = _tree(tmp_path, {"model.py": model})
    assert "class Mine(estimator_loop.SessionRunHook)" in texts["model.py"]
    assert "no Estimator is made in this file" in told["model.py"][0]


def test_model_fns_that_stay_keep_their_hooks(tmp_path: pathlib.Path) -> None:
    model = _MODEL.replace(
        'tf.layers.dense(features, 1, name="out")',
        "tf.py_func(len, [tf.layers.dense(features, 1)], tf.float32)",
    )
    texts, told = _tree(tmp_path, {"model.py": model})
    assert texts["hooks.py"].count("(estimator_loop.SessionRunHook)") == 2
    assert len(told["hooks.py"]) == 2
    assert "Told(loss)" in texts["model.py"]
