"""Methods that are model_fns: which become Keras models, and why the others stay."""

from __future__ import annotations

import os
import pathlib
import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.options import Options
from migrate.run import run_tree
from migrate.tree import Tree

_HEAD = "import tensorflow as tf\n\n\n"
_SPEC = """\
logits = tf.layers.dense(net, 3, name="logits")
if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
train_op = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""
_TRAINER = """\
class Trainer({bases}):
    def __init__(self, hidden):
        self.hidden = hidden
        self.calls = 0

    def estimator(self):
        return tf.estimator.Estimator(model_fn=self.model_fn)

    def model_fn(self, features, labels, mode):
        net = {net}
{spec}
{more}
"""


def _trainer(
    net: str = 'tf.layers.dense(features["x"], self.hidden)',
    more: str = "",
    bases: str = "object",
) -> str:
    return _TRAINER.format(
        net=net,
        spec=textwrap.indent(_SPEC, " " * 8),
        more=textwrap.indent(textwrap.dedent(more), "    "),
        bases=bases,
    )


def _migrated(text: str, options: Options | None = None) -> tuple[str, list[str]]:
    """The result, and why model_fns in it stay."""
    migration = migrate_text(_HEAD + text, options, "trainer.py")
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    return migration.text, [f.reason for f in migration.findings if f.code == "K110"]


def _keras(text: str) -> str:
    result, stays = _migrated(text)
    assert not stays
    assert "(tf_keras.Model):" in result
    return result


def _in_a_line(text: str) -> str:
    return " ".join(text.split()).replace("( ", "(")


def test_what_it_reads_of_its_object_is_given_where_the_estimator_is_made() -> None:
    text = _keras(_trainer())
    given = "model=functools.partial(TrainerModel, hidden=self.hidden)"
    assert given in _in_a_line(text)
    assert "    def __init__(self, features, hidden):" in text
    assert "import functools" in text
    assert "def model_fn" not in text


def test_it_is_told_what_became_of_a_method() -> None:
    migration = migrate_text(_HEAD + _trainer())
    (told,) = (f for f in migration.findings if f.code == "K111")
    lines = (_HEAD + _trainer()).splitlines()
    assert "def model_fn" in lines[told.line - 1]
    assert "`hidden`" in told.reason


def test_a_class_of_which_nothing_is_left() -> None:
    text = "class Net:\n    @staticmethod\n    def model_fn(features, labels, mode):\n"
    text += '        net = features["x"]\n' + textwrap.indent(_SPEC, " " * 8)
    text += "\n\ne = tf.estimator.Estimator(Net.model_fn)\n"
    result = _keras(text)
    assert "class Net:\n    pass\n" in result
    assert "keras_estimator.Estimator(NetModel)" in result


def test_an_object_outside_of_its_class() -> None:
    text = _trainer().replace(
        "    def estimator(self):\n"
        "        return tf.estimator.Estimator(model_fn=self.model_fn)\n\n",
        "",
    )
    text += "\n\ntrainer = Trainer(4)\ne = tf.estimator.Estimator(trainer.model_fn)\n"
    assert "functools.partial(TrainerModel, hidden=trainer.hidden)" in _keras(text)


def test_values_of_helpers_by_position_and_by_name() -> None:
    more = """\
    def deep(self, net, units, training=False, rate=0.5):
        net = tf.layers.dense(net, units * self.hidden, name="deep")
        return tf.layers.dropout(net, rate, training=training)
    """
    first = 'self.deep(features["x"], 2, mode == tf.estimator.ModeKeys.TRAIN)'
    text = _keras(_trainer(first, more))
    assert "def deep(net, units, hidden, rate=0.5):" in text
    assert 'deep(features["x"], 2, hidden)' in text
    second = 'self.deep(features["x"], units=2, training=mode == "train")'
    assert 'deep(features["x"], units=2, hidden=hidden)' in _keras(
        _trainer(second, more)
    )


def test_names_that_are_taken() -> None:
    text = _trainer('tf.layers.dense(features["x"], self._net)')
    text = text.replace("self.hidden = hidden", "self._net = hidden")
    text = text.replace("class Trainer", "class TrainerModel")
    result = _keras(text)
    given = "functools.partial(EstimatorModel, net_value=self._net)"
    assert given in _in_a_line(result)


def test_a_subclass_that_changes_nothing_of_it() -> None:
    more = "\n\nclass Other(Trainer):\n    def say(self):\n        return self.hidden\n"
    assert "hidden=self.hidden" in _keras(_trainer() + more)


_CHANGED = "\ndef grow(self):\n    self.hidden = 2\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (_trainer(more=_CHANGED), "`self.hidden` is changed after __init__"),
        (_trainer(more=_CHANGED.replace("= 2", "+= 2")), "is changed after __init__"),
        (_trainer() + "\nTrainer(2).hidden = 3\n", "is changed after __init__"),
        (_trainer() + "\nt = Trainer(2)\nt.hidden = 3\n", "is changed after __init__"),
        (_trainer('self.grow(features["x"])', "\ndef grow(self, x):\n    self.calls += 1\n"
                  "    return x\n"), "grow() sets `self.calls`"),
        (_trainer('self.grow(features["x"])', "\ndef grow(self, x):\n"
                  "    self.hidden.append(1)\n    return x\n"), "changes `self.hidden`"),
        (_trainer('grow(self, features["x"])'), "passes its `self` to other code"),
        (_trainer('tf.layers.dense(features["x"], self.depth)'), "the tool cannot tell what"),
        (_trainer(bases="Base"), "inherits from Base, which the tool does not see"),
        (_trainer('tf.layers.dense(features["x"], self.params)',
                  bases="tf.estimator.Estimator"), "is an attribute of the Estimator itself"),
        (_trainer() + "\n\nclass Other(Trainer):\n    def model_fn(self, features, labels, "
         "mode):\n        return None\n", "overridden"),
        (_trainer() + "\n\nclass Other(Trainer):\n    def __init__(self):\n"
         "        Trainer.__init__(self, 2)\n        self.estimator()\n"
         "        self.hidden = 3\n", "set after the Estimator is made"),
        (_trainer() + "\n\nclass Other(Trainer):\n    hidden = property(len)\n"
         "    hidden = 3\n", "the tool cannot tell what"),
        (_trainer(more="\ndef set(self, name):\n    setattr(self, name, 3)\n"), "setattr"),
        (_trainer(more="\ndef __getattr__(self, name):\n    return 3\n"), "__getattr__"),
        (_trainer(more="\ndef again(self):\n    return self.model_fn\n"),
         "for more than Estimators"),
        (_trainer('self.deep(features["x"])', "\ndef deep(self, x):\n    return x\n\n"
                  "def more(self):\n    return self.deep(1)\n"),
         "for more than Estimators"),
        (_trainer('self.deep(features["x"])', "\n@tf.function\ndef deep(self, x):\n"
                  "    return x\n"), "has a decorator"),
        (_trainer('self.deep(*[features["x"]])', "\ndef deep(self, x):\n    return x\n"),
         "the tool cannot tell which arguments"),
        (_trainer('self.deep(features["x"])', "\n@property\ndef deep(self):\n"
                  "    return tf.nn.relu\n"), "decorator"),
        (_trainer().replace("def __init__(self, hidden):", "def __init__(self, hidden):\n"
                            "        self.e = self.estimator()"),
         "set after the Estimator is made"),
        (_trainer('super().deep(features["x"])'), "uses super"),
        (_trainer().replace("labels, mode):", "labels, mode, depth=DEPTH):")
         .replace("    def __init__", "    DEPTH = 2\n\n    def __init__"),
         "reads `DEPTH` of its class"),
        (_trainer('tf.layers.dense(features["x"], features.__units)'), "private name"),
        (_trainer() + "\nfn = getattr(Trainer(3), 'model_fn')\n", "up by its name"),
        (_trainer('self.deep(features["x"])', "\nif True:\n    def deep(self, x):\n"
                  "        return x\n"), "in a branch of its class"),
    ],
)  # fmt: skip
def test_stays_a_method(text: str, reason: str) -> None:
    result, stays = _migrated(text)
    assert [r for r in stays if reason in r], stays
    assert "tf_keras.Model" not in result
    assert "self.model_fn" in result


def test_what_is_no_keras_model_stays_a_method_and_others_do_not() -> None:
    """With the reason of what was found inside."""
    cell = (
        "tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(self.hidden), features, dtype=None)"
    )
    other = _trainer(cell + "[1]").replace("Trainer", "Recurrent")
    result, stays = _migrated(_trainer() + "\n\n" + other)
    assert len(stays) == 1 and "GRUCell" in stays[0]
    assert "class TrainerModel(tf_keras.Model)" in result
    assert "estimator_loop.Estimator(model_fn=self.model_fn)" in result


@pytest.mark.parametrize(
    "other",
    [
        "class Larger(trainer.Trainer):\n    pass\n",
        "spec = trainer.Trainer(3).model_fn(1, 2, 'infer')\n",
        "t = trainer.Trainer(3)\nt.hidden = 4\n",
    ],
)
def test_other_files_that_know_more_of_it(other: str) -> None:
    text = "import trainer\nimport tensorflow as tf\n" + other
    knowing = {os.path.realpath("trainer.py"): (text,)}
    options = Options(tree=Tree(knowing=knowing))
    _, stays = _migrated(_trainer(), options)
    assert "other files use Trainer, too" in stays[0]


def test_other_files_that_only_make_objects_of_it() -> None:
    text = "import trainer\nt = trainer.Trainer(3)\nt.estimator().train(None)\n"
    knowing = {os.path.realpath("trainer.py"): (text,)}
    options = Options(tree=Tree(knowing=knowing))
    assert not _migrated(_trainer(), options)[1]


def test_files_of_a_tree_that_name_its_class(tmp_path: pathlib.Path) -> None:
    """Whether a method moves is asked of all files of a run."""
    (tmp_path / "trainer.py").write_text(_HEAD + _trainer())
    main = "from trainer import Trainer\n\nTrainer(3).estimator().train(None)\n"
    (tmp_path / "main.py").write_text(main)
    assert _kinds(tmp_path) == {"K101", "K111"}
    larger = "from trainer import Trainer\n\n\nclass Larger(Trainer):\n    pass\n"
    (tmp_path / "larger.py").write_text(larger)
    assert _kinds(tmp_path) == {"K110"}


def _kinds(tree: pathlib.Path) -> set[str]:
    results = run_tree([tree], jobs=1)
    found = {f.code for result in results for f in result.findings}
    return found & {"K101", "K110", "K111"}
