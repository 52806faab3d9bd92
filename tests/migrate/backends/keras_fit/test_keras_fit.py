"""Checks which Estimators become `Model.fit`, and which stay."""

from __future__ import annotations

import ast
import json
import os
import pathlib

import numpy as np
import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.options import Options
from migrate.run import run_tree
from migrate.support import estimator_inputs
from tests.programs.fitted import ALTERNATING, FIT, GUIDED, STEADY

_TEXT = STEADY.path.read_text()


def _migrate(*changes: tuple[str, str], options: Options = FIT) -> Migration:
    """The migration of a program in which something is replaced."""
    text = _TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return migrate_text(text, options, filename="steady.py")


def _find(migration: Migration, code: str) -> list[Finding]:
    return [finding for finding in migration.findings if finding.code == code]


def test_it_is_the_default() -> None:
    assert _migrate(options=Options()) == _migrate(options=FIT)
    faithful = _migrate(options=Options(estimators="estimator"))
    assert "keras_estimator.Estimator(" in faithful.text
    assert "fit_callbacks" not in faithful.text
    assert not _find(faithful, "K190") and not _find(faithful, "K131")
    assert _migrate(options=Options(estimators="keras")) == faithful


def test_a_script_of_the_guides_shape() -> None:
    """The strategy, the model and `fit` stand in the file; no Estimator does."""
    migration = migrate_text(GUIDED.path.read_text(), FIT, filename="guided.py")
    text = migration.text
    for part in (
        "with strategy.scope():\n  model = make_model()\n",
        "return tf.distribute.ParameterServerStrategy(resolver)\n",
        "return tf.distribute.MultiWorkerMirroredStrategy()\n",
        "model.compile(optimizer=optimizer, loss=",
        "model.fit(\n    dataset,\n    steps_per_epoch=steps,\n",
    ):
        assert part in text, part
    assert "stimator" not in text
    assert len(text.splitlines()) <= 80
    assert set(beside.collect_files(text)) == {"fit_callbacks.py"}
    (found,) = _find(migration, "K190")
    assert found.outcome is Outcome.REWRITTEN
    assert "Estimator(" in GUIDED.path.read_text().splitlines()[found.line - 1]


def test_what_stands_beside_is_only_what_is_used() -> None:
    text = migrate_text(GUIDED.path.read_text(), FIT, filename="guided.py").text
    (data,) = beside.collect_files(text).values()
    assert len(data.splitlines()) <= 150
    defined = {
        node.name
        for node in ast.parse(data).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    assert {"Training", "Evaluation", "restore", "join_cluster"} <= defined
    assert not {"Logging", "EvaluationAndExport", "predictions", "as_in_tf1"} & defined


_ESTIMATOR = 'config, params={"rate": 0.125})'
_TRAIN = "tf.estimator.train_and_evaluate(estimator, train, evaluation)"
_STAYS = {
    "warm-start": (
        (_ESTIMATOR, _ESTIMATOR[:-1] + ', warm_start_from="old")'),
        "it has `warm_start_from`",
    ),
    "evaluation-hooks": (
        ("steps=3,", "steps=3, hooks=[tf.train.StepCounterHook()],"),
        "its EvalSpec has hooks",
    ),
    "kept-for-ever": (
        (
            "keep_checkpoint_max=100",
            "keep_checkpoint_max=100, keep_checkpoint_every_n_hours=1",
        ),
        "its RunConfig has `keep_checkpoint_every_n_hours`",
    ),
    "no-checkpoints": (
        ("save_checkpoints_steps=8", "save_checkpoints_steps=None"),
        "its RunConfig saves no checkpoints",
    ),
    "predictions-by-batches": (
        (
            _TRAIN,
            f"{_TRAIN}\n  next(estimator.predict(input_fn, yield_single_examples=False))",
        ),
        "`predict` has `yield_single_examples`",
    ),
    "handled-error": (
        (
            f"  {_TRAIN}",
            f"  try:\n    {_TRAIN}\n  except KeyboardInterrupt:\n    pass",
        ),
        "the program catches an error of `train`",
    ),
    "handled-in-a-caller": (
        ("  main()\n", "  try:\n    main()\n  except ValueError:\n    main()\n"),
        "the program catches an error of `train`",
    ),
    "unknown-config": (
        (
            "config = tf.estimator.RunConfig(",
            "config = other() or tf.estimator.RunConfig(",
        ),
        "the tool cannot tell which RunConfig it has",
    ),
    "exported-as-text": (
        (
            _TRAIN,
            f"{_TRAIN}\n  estimator.export_saved_model("
            '"out", serving_input_receiver_fn=receive, as_text=True)',
        ),
        "the export is text (`as_text`)",
    ),
    "devices-and-no-steps": (
        (
            "keep_checkpoint_max=100)",
            "train_distribute=tf.distribute.MirroredStrategy())",
        ),
        "the number of steps is not known",
    ),
    "own-strategy-function": (
        ("def main():", "def make_strategy():\n  pass\n\n\ndef main():"),
        "the program defines another `make_strategy`",
    ),
}


@pytest.mark.parametrize("name", _STAYS)
def test_what_fit_cannot_say_stays_an_estimator(name: str) -> None:
    """All of it, as without the option; a finding tells where, and why."""
    change, reason = _STAYS[name]
    changes = [change]
    if name == "devices-and-no-steps":
        changes.append((", max_steps=24", ""))
    migration = _migrate(*changes)
    (found,) = _find(migration, "K131")
    assert reason in found.reason and found.outcome is Outcome.KEPT
    assert 1 < found.line <= len(migration.text.splitlines())
    assert not _find(migration, "K190")
    assert "fit_callbacks" not in migration.text
    faithful = _migrate(*changes, options=Options())
    assert migration.text == faithful.text
    assert migration.support == faithful.support


@pytest.mark.parametrize("given", ["['loss']", "predict_keys='loss'"])
def test_some_of_the_predictions_may_be_asked_for(given: str) -> None:
    asked = f"{_TRAIN}\n  next(estimator.predict(input_fn, {given}))"
    migration = _migrate((_TRAIN, asked))
    assert _find(migration, "K190") and not _find(migration, "K131")
    assert f"keys={given.removeprefix('predict_keys=')}))" in migration.text
    everything = _migrate((_TRAIN, asked.replace(given, "None"))).text
    assert ".predictions(" in everything and "keys=" not in everything


def test_a_configuration_may_be_made_in_two_calls() -> None:
    """Who replaces one way to count checkpoints has no other: as TF1 did it."""
    call = "config = tf.estimator.RunConfig("
    two = "config = tf.estimator.RunConfig(save_checkpoints_secs=7).replace("
    assert _migrate((call, two)).text == _migrate().text


def test_a_directory_that_may_be_none_is_a_temporary_one() -> None:
    given = 'os.environ["MODEL_DIR"]'
    text = _migrate((given, 'os.environ.get("MODEL_DIR")')).text
    assert 'model_dir = os.environ.get("MODEL_DIR") or tempfile.mkdtemp()\n' in text
    assert "tempfile" not in _migrate().text
    flag = 'tf.flags.DEFINE_string("where", None, "Directory.")\n\n\ndef input_fn():'
    text = _migrate((given, "tf.flags.FLAGS.where"), ("def input_fn():", flag)).text
    assert "FLAGS.where or tempfile.mkdtemp()\n" in text
    flag = flag.replace("None", '"out"')
    text = _migrate((given, "tf.flags.FLAGS.where"), ("def input_fn():", flag)).text
    assert "tempfile" not in text


def test_an_evaluator_has_nothing_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The process that trains evaluates: a second one must not train, too."""
    (made,) = (
        node
        for node in ast.parse(_migrate().text).body
        if isinstance(node, ast.FunctionDef) and node.name == "make_strategy"
    )
    known = {"json": json, "os": os}
    exec(ast.unparse(made), known)  # Our own text.
    task = {"type": "evaluator", "index": 0}
    cluster = {"chief": ["localhost:1"], "ps": ["localhost:2"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": task}))
    with pytest.raises(SystemExit) as ended:
        known["make_strategy"]()  # type: ignore[operator]
    assert ended.value.code == 0
    assert "the process that trains evaluates, too" in capsys.readouterr().out


@pytest.mark.parametrize(
    "other, stays",
    [
        ("from guided import estimator\nprint(estimator.model_dir)\n", "estimator"),
        ("import guided\nprint(guided._model_fn)\n", "_model_fn"),
        ("from guided import points\nprint(points)\n", ""),
    ],
    ids=["estimator", "model_fn", "neither"],
)
def test_an_estimator_that_another_file_uses_stays(
    other: str, stays: str, tmp_path: pathlib.Path
) -> None:
    files = {"guided.py": GUIDED.path.read_text(), "other.py": other}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = {r.path.name: r for r in run_tree([tmp_path], FIT, jobs=1)}["guided.py"]
    told = [f.reason for f in found.findings if f.code == "K131"]
    if stays:
        assert len(told) == 1 and f"another file uses `{stays}`" in told[0]
        assert b"fit_callbacks" not in found.new
    else:
        assert not told and b"fit_callbacks" in found.new


@pytest.mark.parametrize(
    "path", [GUIDED.path, STEADY.path, ALTERNATING.path], ids=lambda p: p.stem
)
def test_a_result_is_migrated_to_itself(path: pathlib.Path) -> None:
    result = migrate_text(path.read_text(), FIT, filename=path.name)
    again = migrate_text(
        result.text, FIT.prepare_second_run(result.support), filename=path.name
    )
    assert "fit_callbacks" in result.text and again.text == result.text


def test_who_is_asked_has_what_was_saved_last() -> None:
    """It restores if there are two Estimators, or perhaps no step is left."""
    text = migrate_text(ALTERNATING.path.read_text(), FIT).text
    assert "fit_callbacks.restore(other, directory).evaluate(" in text
    assert "fit_callbacks.restore(one, directory).evaluate(" in text
    train, evaluate = "one.train(input_fn, steps=5)", "one.evaluate(input_fn, steps=2)"
    original = ALTERNATING.path.read_text()
    start, end = original.index("  other = "), original.index("\n\nif __name__")
    plain = f"{original[:start]}  {train}\n  print({evaluate})\n{original[end:]}"
    text = migrate_text(plain, FIT).text
    assert "one.evaluate(" in text and "restore(" not in text
    first = plain.replace(f"  {train}\n", "")
    assert "restore(one, directory).evaluate(" in migrate_text(first, FIT).text


_RUNS = """\
import os
import shutil

import numpy as np
import tensorflow as tf

RATE = 0.125


def input_fn():
  data = tf.data.Dataset.from_tensor_slices(({"x": [[0.5, -2.0, 1.5]]}, [[-64.0]]))
  return data.repeat().batch(1)


def model_fn(features, labels, mode, params):
  net = tf.layers.dense(features["x"], 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"net": net})
  loss = tf.losses.absolute_difference(labels, net)
  optimizer = tf.train.AdagradOptimizer(RATE * params["rate"])
  return tf.estimator.EstimatorSpec(
      mode, loss=loss,
      train_op=optimizer.minimize(loss, tf.train.get_global_step()))


def change(rate):
  global RATE
  RATE = rate


def set_rate(given):
  given["rate"] = 1.0


def main():
  params, every = {"rate": 0.125}, 8
  config = tf.estimator.RunConfig(save_checkpoints_steps=every, tf_random_seed=1)
  estimator = tf.estimator.Estimator(model_fn, "out", config, params)
  for epoch in range(3):
    estimator.train(input_fn, steps=5)
    print(estimator.evaluate(input_fn, steps=2))


if __name__ == "__main__":
  main()
"""
_MADE = 'estimator = tf.estimator.Estimator(model_fn, "out", config, params)\n'
_TRAINED = "estimator.train(input_fn, steps=5)\n"
_LATER = {
    "params": (_MADE, f'{_MADE}  params["rate"] = 1.0\n', "`params` changes after"),
    "params-by-a-method": (
        _MADE,
        f"{_MADE}  params.update(rate=1.0)\n",
        "`params` changes after",
    ),
    "params-by-another-name": (
        _MADE,
        f'{_MADE}  others = params\n  others["rate"] = 1.0\n',
        "`others` changes after",
    ),
    "params-by-a-function": (
        _MADE,
        f"{_MADE}  set_rate(params)\n",
        "`given` changes after",
    ),
    "params-in-a-loop": (
        _TRAINED,
        f'{_TRAINED}    params["rate"] *= 0.5\n',
        "`params` changes after",
    ),
    "configuration": (_MADE, f"{_MADE}  every = 4\n", "`every` changes after"),
    "global": (
        _TRAINED,
        f"{_TRAINED}    change(0.5)\n",
        "its model reads `RATE`, which changes",
    ),
    "checkpoints": (
        _TRAINED,
        f'{_TRAINED}    shutil.rmtree("out")\n',
        "the program deletes files between its runs",
    ),
    "drawn-input": (
        "  data = tf.data",
        "  np.random.shuffle([1, 2])\n  data = tf.data",
        "its input_fn draws random numbers, and `fit` would call it once more",
    ),
    "another-seed": (
        "  for epoch",
        '  other = tf.estimator.Estimator(model_fn, "in", params=params)\n'
        "  other.train(input_fn, steps=1)\n"
        "  for epoch",
        "another Estimator of the file has a different seed",
    ),
    "taught-feature": (
        "(labels, net)",
        '(labels, net, weights=features["w"])',
        "the input of `predict` may lack the feature `w`",
    ),
}
_BEFORE = {
    "nothing": ("", ""),
    "params": (_MADE, f'params["rate"] = 1.0\n  {_MADE}'),
    "global": (_MADE, f"{_MADE}  change(0.5)\n"),
    "checkpoints": (_MADE, f'shutil.rmtree("out")\n  {_MADE}'),
    "after-all": ('__main__":\n  main()', '__main__":\n  main()\n  change(1.0)'),
    "shuffled": ("data.repeat()", "data.shuffle(3, seed=1).repeat()"),
}


def _run(old: str, new: str) -> Migration:
    assert old in _RUNS
    text = _RUNS.replace(old, new) if old else _RUNS
    if "weights" in text:
        text = text.replace("  for epoch", "  estimator.predict(input_fn)\n  for epoch")
    return migrate_text(text, FIT, filename="runs.py")


@pytest.mark.parametrize("name", _LATER)
def test_what_changes_between_runs_is_read_by_an_estimator(name: str) -> None:
    """It copies its params, and calls its model_fn anew: a model is made once."""
    old, new, reason = _LATER[name]
    migration = _run(old, new)
    (found,) = _find(migration, "K131")
    assert reason in found.reason
    assert "fit_callbacks" not in migration.text


@pytest.mark.parametrize("name", _BEFORE)
def test_what_changes_before_or_after_all_runs_is_the_same(name: str) -> None:
    migration = _run(*_BEFORE[name])
    assert not _find(migration, "K131") and ".fit(" in migration.text


def test_a_seed_is_set_before_the_input_is_read() -> None:
    text = _run(
        f"  for epoch in range(3):\n    {_TRAINED}    print", f"  {_TRAINED}  print"
    ).text
    assert text.index("random.set_seed(1)") < text.index("dataset = input_fn()")


@pytest.mark.parametrize("where", ["layer", "helper"])
def test_a_penalty_that_the_loss_leaves_out_is_not_compiled(where: str) -> None:
    """Keras's own steps add it: TF1 did so where the program asked for it alone."""
    layer = 'tf.layers.dense(features["x"], 1)'
    assert layer in _TEXT and "model.compile(" in _migrate().text
    given = layer[:-1] + ", kernel_regularizer=tf.contrib.layers.l2_regularizer(0.5))"
    changes = [(layer, given)]
    if where == "helper":
        made = given.replace('features["x"]', "net")
        helper = f"def net_of(net):\n  return {made}\n\n\ndef model_fn"
        changes = [(layer, 'net_of(features["x"])'), ("def model_fn", helper)]
    text = _migrate(*changes).text
    assert ".fit(" in text and "loss=tf.compat.v1.losses" not in text


@pytest.mark.parametrize(
    "noise",
    [
        "tf.nn.dropout(x, keep_prob=0.5, seed=3)",
        "x + tf.random_normal(tf.shape(x), seed=3)",
        "x + tf.random.uniform(tf.shape(x), seed=3)",
    ],
)
def test_an_estimator_whose_evaluations_draw_stays(noise: str) -> None:
    """It built a graph for each: a seed drew the same numbers in all of them."""
    made = 'net = tf.layers.dense(features["x"], 1)\n'
    assert made in _RUNS
    noisy = f'x = features["x"]\n  x = {noise}\n  net = tf.layers.dense(x, 1)\n'
    (told,) = _find(migrate_text(_RUNS.replace(made, noisy), FIT), "K131")
    assert "draw" in told.reason


_NET = """import tensorflow as tf


def input_fn():
  return tf.data.Dataset.from_tensors(([[1.0], [2.0]], [[0], [1]])).repeat()


def model_fn(features, labels, mode):
  logits = tf.layers.dense(features, 2)
  shown = {"odds": tf.nn.softmax(logits, name="odds_of_all")}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=shown)
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  step = tf.train.get_global_step()
  train_op = tf.train.AdamOptimizer(0.01).minimize(loss, step)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main():
  estimator = tf.estimator.Estimator(model_fn, "net")
  shown = {"odds": "odds_of_all"}
  logging = tf.train.LoggingTensorHook(tensors=shown, every_n_iter=2)
  estimator.train(input_fn, steps=4, hooks=[logging])


main()
"""
_LOSS = "tf.train.AdamOptimizer(0.01).minimize(loss, step)"
_SCOPED = 'tf.contrib.layers.optimize_loss(loss, step, 0.01, "Adam")'


def test_names_of_what_a_hook_logs_may_have_a_name() -> None:
    """The dict stays where it is; if something else reads it, it may be another one."""
    text = migrate_text(_NET, FIT).text
    assert '  shown = {"odds": "odds_of_all"}\n' in text
    assert "fit_callbacks.Logging(" in text and "tensors=shown" in text
    changed = _NET.replace("  logging =", '  shown["loss"] = "loss"\n  logging =')
    (found,) = _find(migrate_text(changed, FIT), "K131")
    assert "the tool cannot tell which tensors a hook logs" in found.reason


def test_variables_of_an_optimizer_have_the_names_of_its_scope() -> None:
    """They are made before the first step, which has the scope, too."""
    text = migrate_text(_NET.replace(_LOSS, _SCOPED), FIT).text
    scope = 'return tf.compat.v1.variable_scope("OptimizeLoss")\n'
    assert f"  def optimizer_scope(self):\n    {scope}\n  def train_step(" in text
    assert "with self.optimizer_scope():\n" in text
    plain = migrate_text(_NET, FIT).text
    assert "fit_callbacks" in plain and "optimizer_scope" not in plain


def test_an_input_fn_may_take_apart_what_numpy_input_fn_gives() -> None:
    rows = {"x": np.arange(6.0).reshape(3, 2)}
    read = estimator_inputs.numpy_input_fn(
        rows, np.arange(3), batch_size=2, shuffle=False
    )
    alone = estimator_inputs.numpy_input_fn(rows, batch_size=2, shuffle=False)

    def input_fn() -> tuple[object, object]:
        features, labels = read()
        return features["x"] + 1, labels

    found = list(estimator_inputs.dataset_of(input_fn).as_numpy_iterator())
    assert [labels.tolist() for _, labels in found] == [[0, 1], [2]]
    assert [f.tolist() for f, _ in found] == [[[1, 2], [3, 4]], [[5, 6]]]
    only = estimator_inputs.dataset_of(lambda: alone()["x"]).as_numpy_iterator()
    assert [f.tolist() for f in only] == [[[0, 1], [2, 3]], [[4, 5]]]


_SUMMARIES = """import tensorflow as tf


def model_fn(features, labels, mode):
    w = tf.get_variable("w", [], initializer=tf.constant_initializer(0.5))
    rate = tf.train.exponential_decay(0.1, tf.train.get_global_step(), 1, 0.5)
    p = w * features
    loss = tf.losses.absolute_difference(labels, p)
    tf.summary.scalar("learning rate", rate)
    tf.summary.scalar("weight", w)
    tf.summary.scalar("mean_p", tf.reduce_mean(p))
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


data = lambda: tf.data.Dataset.from_tensors(([1.0, 2.0], [2.0, 2.0])).repeat(3)
estimator = tf.estimator.Estimator(model_fn, "model")
estimator.train(data)
"""


def test_summaries_are_read_before_the_update() -> None:
    """The result of a step is made after it: TensorFlow 1 wrote the rate from before."""
    text = migrate_text(_SUMMARIES, FIT).text
    before, after = text.split("self.optimizer.apply_gradients(")
    assert "learning_rate = self.rate()\n" in before
    assert "weight = tf.identity(self.w)\n" in before
    (result,) = [s for s in after.splitlines() if "return {" in s and "loss" in s][:1]
    assert result.strip() == (
        'return {"loss": loss, "learning rate": learning_rate, "weight": weight, '
        '"mean_p": tf.reduce_mean(p)}'
    )
