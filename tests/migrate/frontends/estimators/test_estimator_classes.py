"""Classes of Estimators, and functions that hand a model_fn on, as Keras models."""

from __future__ import annotations

import ast
import pathlib
import subprocess
import sys

import pytest

import migrate
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.tables.estimator_names import EMITTED, OF_TF1

_HEAD = "import functools\n\nimport tensorflow as tf\n\n\n"
_MODEL = """\
def model_fn(features, labels, mode{more}):
    net = tf.layers.dense(features["x"], {units})
    logits = tf.layers.dense(net, 3)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={{"logits": logits}})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


"""
_CLASS = """\
class Classifier(tf.estimator.Estimator):
    def __init__(self, units, model_dir=None):
        super().__init__(model_fn, model_dir){more}
"""


def _model(more: str = "", units: str = "4") -> str:
    return _MODEL.format(more=more, units=units)


def _migrated(text: str) -> tuple[str, str]:
    """The result, and why a model_fn in it stays one."""
    migration = migrate_text(_HEAD + text)
    loud = (Outcome.FAILED, Outcome.REFUSED)
    assert not [f for f in migration.findings if f.outcome in loud]
    assert migrate_text(migration.text).text == migration.text
    stays = "; ".join(f.reason for f in migration.findings if f.code == "K110")
    return migration.text, stays


def _keras(text: str) -> str:
    result, stays = _migrated(text)
    assert not stays
    assert "tf_keras.Model" in result
    return result


def test_a_class_of_estimator_trains_the_keras_model() -> None:
    text = _keras(_model() + _CLASS.format(more="") + "\n\ne = Classifier(3)\n")
    assert "class Classifier(keras_estimator.Estimator):" in text
    assert "super().__init__(EstimatorModel, model_dir)" in text


def test_what_an_object_has_is_given_where_its_class_begins() -> None:
    method = "\n".join(
        "    " + line for line in _model(units="self.units").splitlines()
    )
    method = method.replace("model_fn(features", "_model_fn(self, features")
    text = _keras(
        "class Classifier(tf.estimator.Estimator):\n"
        "    def __init__(self, units):\n"
        "        self.units = units\n"
        "        super(Classifier, self).__init__(model_fn=self._model_fn)\n\n" + method
    )
    line = "model=functools.partial(ClassifierModel,units=self.units)"
    assert line in "".join(text.split())


@pytest.mark.parametrize(
    "handed, written",
    [
        (
            "def of_five(features, labels, mode):\n"
            '    """Five units."""\n'
            "    return model_fn(features, labels, mode, 5)\n\n\n"
            "e = tf.estimator.Estimator(of_five)\n",
            "def of_five(features):\n"
            '    """Five units."""\n'
            "    return EstimatorModel(features, 5)\n\n\n"
            "e = keras_estimator.Estimator(of_five)\n",
        ),
        (
            "def of(features, labels, mode, params=None):\n"
            "    return model_fn(features=features, labels=labels, mode=mode,\n"
            "                    units=params['units'])\n\n\n"
            "e = tf.estimator.Estimator(of, params={'units': 3})\n",
            "def of(features, params=None):\n"
            "    return EstimatorModel(features=features, units=params['units'])\n",
        ),
        (
            "e = tf.estimator.Estimator(\n"
            "    lambda features, labels, mode, params: model_fn(\n"
            "        features, labels, mode, params['units']))\n",
            "lambda features, params: EstimatorModel(features, params['units'])",
        ),
    ],
)
def test_what_hands_a_model_fn_on_makes_the_model(handed: str, written: str) -> None:
    assert written in _keras(_model(", units", "units") + handed)


def test_what_is_left_out_keeps_its_default() -> None:
    text = _keras(
        _model(", units, optimizer='adam'", "units") + "e = tf.estimator.Estimator(\n"
        "    lambda features, labels, mode: model_fn(features, labels, mode, 5))\n"
    )
    assert "def __init__(self, features, units, optimizer='adam'):" in text


@pytest.mark.parametrize(
    "handed, reason",
    [
        ("def of(features, labels, mode):\n"
         "    return model_fn(features, labels[0], mode)\n\n\n"
         "e = tf.estimator.Estimator(of)\n", "changes the arguments of the model_fn"),
        ("def of(features, labels, mode):\n    return model_fn(features, None, mode)\n\n\n"
         "e = tf.estimator.Estimator(of)\n", "does not pass `labels` to the model_fn"),
        ("def of(features, labels, mode):\n    return model_fn(features, labels, mode)\n\n\n"
         "e = tf.estimator.Estimator(of)\nof({}, None, 'infer')\n",
         "for more than Estimators"),
        (_CLASS.format(more="\n\n    def graph(self):\n        return self.model_fn\n"),
         "the class of the Estimator uses `self.model_fn`"),
        (_CLASS.format(more="").replace("model_fn, model_dir", "*[model_fn, model_dir]"),
         ""),
    ],
)  # fmt: skip
def test_stays_a_model_fn(handed: str, reason: str) -> None:
    result, stays = _migrated(_model() + handed)
    assert reason in stays
    assert "tf_keras.Model" not in result


@pytest.mark.parametrize(
    "more, name",
    [
        ("\n        self._graph = tf.Graph()\n", "_graph"),
        ("\n\n    def _input(self):\n        return None\n", "_input"),
        ("\n\n\nclass Other(Classifier):\n    _seed = 3\n", "_seed"),
    ],
)
def test_a_member_that_the_emitted_estimator_has_too(more: str, name: str) -> None:
    migration = migrate_text(_HEAD + _model() + _CLASS.format(more=more))
    (told,) = (f for f in migration.findings if f.code == "N111")
    assert told.outcome is Outcome.REFUSED and f"`{name}`" in told.reason
    assert "another name" in told.recipe
    assert "class Classifier(tf.estimator.Estimator):" in migration.text


def test_the_table_has_the_emitted_estimators_members() -> None:
    """Private ones, which TensorFlow 1.15.5's had not."""
    support = pathlib.Path(migrate.__file__).parent / "support"
    found: set[str] = set()
    for file in ("estimator_loop/estimator.py", "keras_estimator/estimator.py"):
        for owner in ast.parse((support / file).read_text()).body:
            if isinstance(owner, ast.ClassDef) and owner.name == "Estimator":
                found |= {n.name for n in owner.body if isinstance(n, ast.FunctionDef)}
                found |= {
                    node.attr
                    for node in ast.walk(owner)
                    if isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, ast.Store)
                    and ast.unparse(node.value) == "self"
                }
    private = {n for n in found if n.startswith("_") and not n.startswith("__")}
    assert private - OF_TF1 == EMITTED


_ELSEWHERE = """\
import functools

import tensorflow as tf

import model

e = tf.estimator.Estimator(functools.partial(model.model_fn, units={units}{more}))
"""


@pytest.mark.parametrize(
    ("programs", "keras"),
    [
        ({"one": _ELSEWHERE.format(units="4", more="")}, True),
        ({"one": _ELSEWHERE.format(units="4", more=""),
          "two": _ELSEWHERE.format(units="5", more="")}, True),
        ({"one": _ELSEWHERE.format(units="4", more=""),
          "two": _ELSEWHERE.format(units="5", more=", scale=2.0")}, False),
        ({"one": _ELSEWHERE.format(units="4", more=", **{}")}, False),
    ],
)  # fmt: skip
def test_a_partial_of_another_files_model_fn(
    programs: dict[str, str], keras: bool, tmp_path: pathlib.Path
) -> None:
    """All files give it the same parameters, or it stays one."""
    source = tmp_path / "tree"
    source.mkdir()
    text = "import tensorflow as tf\n\n\n" + _model(", units, scale=1.0", "units")
    if all("scale" not in program for program in programs.values()):
        text = text.replace(", scale=1.0", "")
    (source / "model.py").write_text(text)
    for name, program in programs.items():
        (source / f"{name}.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "migrate", "migrate", source, "--output",
         tmp_path / "new"],
        cwd=pathlib.Path(__file__).parents[4],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert "0 refused" in done.stdout + done.stderr
    result = (tmp_path / "new" / "one.py").read_text()
    named = "functools.partial(model.EstimatorModel, units=4)" in result
    assert named is keras
    assert ("model.model_fn" in result) is not keras
