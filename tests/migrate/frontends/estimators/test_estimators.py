"""Estimator programs: what is rewritten where, and what is refused, with which code."""

from __future__ import annotations

import pathlib
import textwrap

import pytest

from migrate import emitted
from migrate.compiler import migrate_text
from migrate.facts.trees.imports import find_graph_modules
from migrate.findings import Outcome
from migrate.migration import Migration
from migrate.options import Options
from migrate.run import run_tree
from migrate.tree import Tree

HEAD = "import tensorflow as tf\n"
PROGRAM = """\
import tensorflow as tf


def network(x):
  return tf.layers.dense(x, tf.get_variable_scope().name and 3)


def model_fn(features, labels, mode):
  {model}
  logits = network(features)
  return tf.estimator.EstimatorSpec(mode, predictions=logits)


def input_fn():
  {input}


{top}
estimator = tf.estimator.Estimator(model_fn)
"""


def _program(
    model: str = "pass", input: str = "return None", top: str = "pass"
) -> Migration:
    return migrate_text(PROGRAM.format(model=model, input=input, top=top))


def _refused(migration: Migration) -> set[tuple[str, str]]:
    """(code, symbol) of what was refused, without the rest of the program."""
    return {
        (f.code, f.symbol)
        for f in migration.findings
        if f.outcome is Outcome.REFUSED and f.code != "N100"
    }


def test_helpers_of_a_model_fn_build_its_graph() -> None:
    migration = _program()
    assert not _refused(migration)
    assert (
        "return estimator_loop.layers.dense(x, tf.compat.v1.get_variable_scope()"
        in (migration.text)
    )
    assert "return estimator_loop.EstimatorSpec(mode, predictions=logits)" in (
        migration.text
    )
    assert "import tensorflow as tf\nimport estimator_loop\n" in migration.text
    assert set(map(emitted.find_module, migration.support)) == {
        "estimator_loop",
        "training_session",
    }


def test_a_second_migration_changes_nothing() -> None:
    once = _program(model="step = tf.train.get_global_step()").text
    assert migrate_text(once).text == once


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("v = tf.Variable(tf.zeros([2]))", "v = tf.compat.v1.Variable(tf.zeros([2]))"),
        ("tf.losses.get_total_loss()", "tf.compat.v1.losses.get_total_loss()"),
        (
            "tf.metrics.mean(features)",
            "tf.compat.v1.metrics.mean(features)",
        ),
        (
            "tf.summary.scalar('a', features)",
            "tf.compat.v1.summary.scalar('a', features)",
        ),
        ("g = tf.gradients(features, [])", "g = tf.compat.v1.gradients(features, [])"),
        ("s = tf.train.Saver()", "s = estimator_loop.Saver()"),
        (
            "tf.train.init_from_checkpoint('a', {})",
            "estimator_loop.init_from_checkpoint('a', {})",
        ),
        (
            "e = tf.train.ExponentialMovingAverage(.9)",
            "e = estimator_loop.ExponentialMovingAverage(.9)",
        ),
        (
            "x = tf.contrib.layers.layer_norm(features)",
            "x = contrib_layers.layer_norm(features)",
        ),
        (
            "cell = tf.nn.rnn_cell.LSTMCell(3)",
            "cell = estimator_loop.rnn_cell.LSTMCell(3)",
        ),
        ("n = features.get_shape()[1].value", "n = features.get_shape()[1]"),
        ("n = features.shape[-1].value + 1", "n = features.shape[-1] + 1"),
        (
            "x = tf.contrib.layers.batch_norm(features, updates_collections=None)",
            "x = contrib_layers.batch_norm(features, updates_collections=None)",
        ),
        (
            "x = tf.contrib.layers.convolution2d(features, 3, 2)",
            "x = contrib_layers.convolution2d(features, 3, 2)",
        ),
        (
            "o = tf.train.SyncReplicasOptimizer(None, 2)",
            "o = synchronous_estimator.SyncReplicasOptimizer(None, 2)",
        ),
        (
            "h = tf.estimator.MultiLabelHead(3)",
            "h = estimator_more_heads.MultiLabelHead(3)",
        ),
        (
            "n = [v.op.name for v in tf.trainable_variables()]",
            "n = [estimator_loop.op_name(v) for v in tf.compat.v1.trainable_variables()]",
        ),
        (
            "h = tf.train.LoggingTensorHook({}, every_n_iter=1)",
            "h = estimator_loop.LoggingTensorHook({}, every_n_iter=1)",
        ),
        (
            "o = tf.train.AdamOptimizer(.1)",
            "o = tf.compat.v1.train.AdamOptimizer(.1)",
        ),
    ],
)
def test_inside_a_model_fn(old: str, new: str) -> None:
    migration = _program(model=old)
    assert not _refused(migration)
    assert f"  {new}\n" in migration.text


@pytest.mark.parametrize(
    "spelling",
    ["dataset.{}()", "tf.data.{}(dataset)"],
)
@pytest.mark.parametrize(
    "name", ["make_one_shot_iterator", "make_initializable_iterator"]
)
def test_iterators_of_an_input_fn(spelling: str, name: str) -> None:
    dataset = "dataset = tf.data.Dataset.range(3)"
    call = spelling.format(name)
    migration = _program(input=f"{dataset}\n  return {call}.get_next()")
    assert not _refused(migration)
    assert "return estimator_loop.one_shot_iterator(dataset).get_next()" in (
        migration.text
    )


def test_behaviour_switches_are_dropped() -> None:
    migration = _program(top="tf.compat.v1.disable_v2_behavior()")
    assert not _refused(migration)
    assert "disable_v2_behavior" not in migration.text


def test_placeholders_stay_where_serving_inputs_are_made() -> None:
    serving = (
        "def serving_input_fn():\n"
        "  x = tf.placeholder(tf.float32, [None, 2])\n"
        "  return tf.estimator.export.ServingInputReceiver(x, x)\n"
    )
    migration = _program(top=serving)
    assert not _refused(migration)
    assert "x = tf.compat.v1.placeholder(tf.float32, [None, 2])" in migration.text


def test_compat_v1_programs_are_programs() -> None:
    text = PROGRAM.replace(
        "import tensorflow as tf", "import tensorflow.compat.v1 as tf"
    ).format(model="tf.get_variable('a', [])", input="pass", top="pass")
    migration = migrate_text(text)
    assert not _refused(migration)
    assert "import tensorflow as tf\nimport estimator_loop\n" in migration.text
    assert "tf.compat.v1.get_variable('a', [])" in migration.text


def test_imports_from_tensorflows_own_files() -> None:
    migration = migrate_text(
        "from tensorflow.python.estimator.estimator import Estimator\n"
        "from tensorflow.python.estimator.model_fn import EstimatorSpec\n"
        "from tensorflow.python.estimator.run_config import RunConfig\n\n\n"
        "def model_fn(features, mode):\n"
        "  return EstimatorSpec(mode, predictions=features)\n\n\n"
        "estimator = Estimator(model_fn, config=RunConfig())\n"
    )
    assert not _refused(migration)
    assert migration.text == (
        "import estimator_loop\n\n\n"
        "def model_fn(features, mode):\n"
        "  return estimator_loop.EstimatorSpec(mode, predictions=features)\n\n\n"
        "estimator = estimator_loop.Estimator("
        "model_fn, config=estimator_loop.RunConfig())\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "tf.contrib.distribute.MirroredStrategy(num_gpus=2)",
            "estimator_strategies.MirroredStrategy(num_gpus=2)",
        ),
        (
            "tf.distribute.MirroredStrategy(['/gpu:0'])",
            "estimator_strategies.MirroredStrategy(['/gpu:0'])",
        ),
        (
            "tf.distribute.MirroredStrategy()",
            "estimator_strategies.MirroredStrategy()",
        ),
        (
            "tf.distribute.experimental.MultiWorkerMirroredStrategy()",
            "estimator_strategies.MultiWorkerMirroredStrategy()",
        ),
        (
            "tf.distribute.OneDeviceStrategy('/cpu:0')",
            "estimator_strategies.OneDeviceStrategy('/cpu:0')",
        ),
        (
            "tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=1)",
            "estimator_strategies.CollectiveAllReduceStrategy(num_gpus_per_worker=1)",
        ),
        (
            "tf.contrib.distribute.ParameterServerStrategy()",
            "estimator_strategies.ParameterServerStrategy()",
        ),
        (
            "tf.distribute.experimental.ParameterServerStrategy()",
            "estimator_strategies.ParameterServerStrategy()",
        ),
        (
            "tf.distribute.experimental.MultiWorkerMirroredStrategy("
            "tf.distribute.experimental.CollectiveCommunication.RING)",
            "estimator_strategies.MultiWorkerMirroredStrategy("
            "tf.distribute.experimental.CollectiveCommunication.RING)",
        ),
    ],
)
def test_strategies(old: str, new: str) -> None:
    migration = _program(top=f"c = tf.estimator.RunConfig(train_distribute={old})")
    assert not _refused(migration)
    assert f"c = estimator_loop.RunConfig(train_distribute={new})\n" in migration.text
    assert "estimator_strategies.py" in migration.support


@pytest.mark.parametrize("package", ["estimator.experimental", "contrib.estimator"])
@pytest.mark.parametrize(
    "name",
    [
        "make_early_stopping_hook",
        "read_eval_metrics",
        "stop_if_higher_hook",
        "stop_if_lower_hook",
        "stop_if_no_decrease_hook",
        "stop_if_no_increase_hook",
    ],
)
def test_early_stopping(package: str, name: str) -> None:
    migration = _program(top=f"hook = tf.{package}.{name}(None, 'loss', 3)")
    assert not _refused(migration)
    assert f"hook = estimator_early_stopping.{name}(None, 'loss', 3)" in migration.text
    assert "estimator_early_stopping.py" in migration.support


def test_a_function_that_returns_a_model_fns_spec_builds_its_graph() -> None:
    migration = migrate_text(
        "import tensorflow as tf\n\n\n"
        "def spec(mode, y):\n"
        "  return tf.estimator.EstimatorSpec(mode, predictions=y)\n\n\n"
        "def network(features, mode):\n"
        "  w = tf.get_variable('w', [])\n"
        "  return spec(mode, features * w)\n\n\n"
        "for fn in (network,):\n"
        "  tf.estimator.Estimator(model_fn=fn)\n"
    )
    assert not _refused(migration)
    assert "w = tf.compat.v1.get_variable('w', [])" in migration.text


_HOOK = """
import tensorflow as tf


class Hook(tf.train.SessionRunHook):
  def after_create_session(self, session, coord):
    self.start = {start}

  def after_run(self, run_context, run_values):
    {after}


e = tf.estimator.Estimator(lambda features, mode: tf.estimator.EstimatorSpec(mode))
"""


@pytest.mark.parametrize(
    ("start", "after"),
    [
        ("session.run(self.x)", "pass"),
        ("0", "self.y = run_context.session.run(self.x)"),
        ("0", "s = run_context.session; self.y = s.run(self.x)"),
    ],
)
def test_a_hook_that_runs_its_session_is_refused(start: str, after: str) -> None:
    text = _HOOK.format(start=start, after=after)
    assert "H122" in {c for c, _ in _refused(migrate_text(text))}


@pytest.mark.parametrize(
    ("start", "after"),
    [
        ("tf.train.get_global_step()", "run_context.session.run(self.start)"),
        ("session.run(tf.global_variables())", "pass"),
        (
            "[v for v in tf.trainable_variables() if v.name]",
            "s = run_context.session; s.run({'a': self.start[0]})",
        ),
    ],
)
def test_a_hook_may_read_variables(start: str, after: str) -> None:
    migration = migrate_text(_HOOK.format(start=start, after=after))
    assert not _refused(migration)
    assert after in migration.text
    assert "H110" in {f.code for f in migration.findings}


def test_an_evaluation_in_a_hooks_session() -> None:
    text = _HOOK.format(
        start="tf.train.get_global_step()",
        after="s = self.start.eval(session=run_context.session)",
    )
    migration = migrate_text(text)
    assert not _refused(migration)
    assert "s = run_context.session.run(self.start)\n" in migration.text


@pytest.mark.parametrize(
    ("start", "after"),
    [
        # It may be given anything by another method's caller.
        ("0", "self.start = run_values; run_context.session.run(self.start)"),
        ("tf.train.get_global_step()", "run_context.session.run(self.start + 1)"),
        ("self.x.eval(session)", "pass"),
        ("tf.global_variables()", "run_context.session.run(self.start, {1: 2})"),
    ],
)
def test_a_hook_that_may_run_more_is_refused(start: str, after: str) -> None:
    text = _HOOK.format(start=start, after=after)
    assert "H122" in {c for c, _ in _refused(migrate_text(text))}


@pytest.mark.parametrize(
    ("start", "after"),
    [
        ("0", "self.y = run_values.results"),
        ("self.clock.run(1)", "run_context.request_stop()"),
    ],
)
def test_a_hook_that_only_looks_is_kept(start: str, after: str) -> None:
    migration = migrate_text(_HOOK.format(start=start, after=after))
    assert not _refused(migration)
    assert after in migration.text


# -- refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "text", "code", "symbol"),
    [
        (
            "top",
            "c = tf.estimator.BoostedTreesClassifier([], 1)",
            "E117",
            "tf.estimator.BoostedTreesClassifier",
        ),
        (
            "top",
            "b = tf.estimator.BoostedTreesRegressor([], 1)",
            "E117",
            "tf.estimator.BoostedTreesRegressor",
        ),
        ("top", "tf.contrib.tpu.shutdown_system()", "E117", None),
        (
            "model",
            "return tf.contrib.tpu.TPUEstimatorSpec(mode, host_call=(len, []))",
            "E117",
            "tf.contrib.tpu.TPUEstimatorSpec",
        ),
        (
            "top",
            "tf.contrib.learn.Estimator()",
            "E117",
            "tf.contrib.learn.Estimator",
        ),
        (
            "model",
            "tf.layers.batch_normalization(features, training=True)",
            "L123",
            "tf.layers.batch_normalization",
        ),
        ("input", "x = tf.placeholder(tf.float32)", "E114", "tf.placeholder"),
        (
            "model",
            "tf.contrib.layers.batch_norm(features)",
            "L123",
            "tf.contrib.layers.batch_norm",
        ),
        (
            "top",
            "tf.random.set_seed(1)\ntf.estimator.LinearClassifier([])",
            "E117",
            "tf.estimator.LinearClassifier",
        ),
        (  # TensorFlow 1.15.5 raises: it is no tf.train.Optimizer.
            "top",
            "tf.estimator.DNNClassifier([4], [], optimizer=tf.keras.optimizers.SGD(1.))",
            "E117",
            "tf.estimator.DNNClassifier",
        ),
        (
            "top",
            "tf.estimator.experimental.LinearSDCA('id')",
            "E117",
            "tf.estimator.experimental.LinearSDCA",
        ),
        ("top", "sess = tf.Session()", "S120", "tf.Session"),
        ("input", "tf.train.batch([1], 2, shared_name='q')", "I120", "tf.train.batch"),
        ("top", "v = tf.get_variable('a', [])", "N150", "tf.get_variable"),
    ],
)
def test_refused(where: str, text: str, code: str, symbol: str | None) -> None:
    migration = _program(**{where: text})
    refused = _refused(migration)
    assert code in {c for c, _ in refused}
    if symbol is not None:
        assert (code, symbol) in refused
    # A program with one refusal is left as it is, but for the note at its line.
    lines = migration.text.split("\n")
    kept = [line for line in lines if not line.lstrip().startswith("# TODO(tf1to2)")]
    arguments = {"model": "pass", "input": "return None", "top": "pass", where: text}
    assert "\n".join(kept) == PROGRAM.format(**arguments)
    assert f"# TODO(tf1to2): {code} " in migration.text
    assert not migration.support


def test_an_optimizer_of_keras_is_not_said_to_be_of_tensorflow_2_alone() -> None:
    """TensorFlow 1.15 has it, too, and its ready-made Estimators refuse it."""
    optimizer = "optimizer=tf.keras.optimizers.SGD(1.)"
    done = _program(top=f"tf.estimator.DNNClassifier([4], [], {optimizer})")
    (reason,) = (f.reason for f in done.findings if f.code == "E117")
    assert reason.startswith(
        "TensorFlow 1's Estimators do not accept `tf.keras.optimizers.SGD`, so"
    )


_RAW = "tf.estimator.export.build_raw_serving_input_receiver_fn"


@pytest.mark.parametrize(
    "use",
    [
        f"{_RAW}({{'x': tf.placeholder(tf.int64, [None, 2], 'ids')}})",
        f"spec = {{'x': tf.placeholder(tf.int64, [None, 2], 'ids')}}\n{_RAW}(spec)",
        f"ids = tf.placeholder(tf.int64, [None, 2], 'ids')\n{_RAW}({{'x': ids}})",
        f"{_RAW}({{k: tf.placeholder(tf.int64, [None, 2], 'ids') for k in 'xy'}})",
        "spec = {}\nspec['x'] = tf.placeholder(tf.int64, [None, 2], 'ids')\n"
        f"{_RAW}(features=spec)",
    ],
)
def test_a_placeholder_that_is_only_described_is_a_spec(use: str) -> None:
    migration = _program(top=use)
    assert not _refused(migration)
    spec = "tf.TensorSpec(shape=[None, 2], dtype=tf.int64, name='ids')"
    assert spec in migration.text and "placeholder" not in migration.text


def test_a_version_that_is_printed_says_nothing_of_tensorflow_2() -> None:
    use = "print(tf.__version__)\ntf.estimator.LinearClassifier([])"
    migration = _program(top=use)
    assert not _refused(migration)
    assert "canned_estimators.LinearClassifier([])" in migration.text


def test_a_described_placeholder_needs_no_name_and_no_shape() -> None:
    migration = _program(top=f"{_RAW}({{'x': tf.placeholder(tf.int64)}})")
    assert not _refused(migration)
    assert "{'x': tf.TensorSpec(shape=None, dtype=tf.int64)}" in migration.text


@pytest.mark.parametrize(
    "use",
    [
        f"x = tf.placeholder(tf.int64, [None])\n{_RAW}({{'x': x}})\nprint(x)",
        f"x = tf.placeholder(tf.int64, [None])\n{_RAW}({{x: 'x'}})",
        f"spec = {{'x': tf.placeholder(tf.int64, [None], 'ids')}}\n{_RAW}(spec)\n"
        "print(spec)",
        "spec = {'x': tf.placeholder(tf.int64, [None], 'ids')}",
    ],
)
def test_another_placeholder_is_refused(use: str) -> None:
    assert ("E114", "tf.placeholder") in _refused(_program(top=use))


def test_update_operations_let_batch_normalisation_pass() -> None:
    migration = _program(
        model="tf.layers.batch_normalization(features, training=True)\n"
        "  ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)"
    )
    assert not _refused(migration)


def test_an_arg_scope_gives_arguments_to_what_takes_them() -> None:
    """TF2's own functions do not: those of contrib are kept, also where TF2 has one."""
    migration = _program(
        model="with tf.contrib.framework.arg_scope([tf.contrib.layers.max_pool2d]):\n"
        "    tf.contrib.layers.max_pool2d(features, 2)"
    )
    assert not _refused(migration)
    assert "contrib_layers.max_pool2d(features, 2)" in migration.text
    alone = _program(model="tf.contrib.layers.max_pool2d(features, 2)")
    assert "tf.nn.max_pool2d(features, 2, strides=2" in alone.text


# -- modules that programs import ------------------------------------------------------


MODULE = HEAD + textwrap.dedent(
    """
    def network(x):
      w = tf.get_variable("w", [x.shape[1].value, 3])
      return tf.matmul(x, w)
    """
)
MAIN = PROGRAM.replace(
    "import tensorflow as tf\n", "import tensorflow as tf\n{imports}\n"
)


def _tree(root: pathlib.Path, **files: str) -> dict[str, pathlib.Path]:
    paths = {}
    for name, text in files.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        paths[name] = path
    return paths


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("import nets", "nets"),
        ("from nets import network as n", "nets"),
        ("from models import nets", "models__nets"),
        ("import models.nets as m", "models__nets"),
        ("from models.nets import *", "models__nets"),
        ("from .nets import network as n", "nets"),
    ],
)
def test_a_module_that_a_program_imports_builds_graphs(
    imports: str, name: str, tmp_path: pathlib.Path
) -> None:
    main = MAIN.format(imports=imports, model="pass", input="pass", top="pass")
    paths = _tree(tmp_path, main=main, **{name: MODULE}, other=MODULE)
    results = {r.path: r for r in run_tree(list(paths.values()))}
    module = results[paths[name]]
    assert not any(f.outcome is Outcome.REFUSED for f in module.findings)
    assert b'tf.compat.v1.get_variable("w", [x.shape[1], 3])' in module.new
    assert module.support == ()  # They are beside the program.
    # Nobody imports the other.
    assert any(f.code == "N150" for f in results[paths["other"]].findings)


def test_a_module_of_a_program_makes_an_iterator(tmp_path: pathlib.Path) -> None:
    """It has no other code of a graph; TensorFlow 2's dataset has no such method."""
    data = HEAD + (
        "def draw(dataset):\n"
        "  return dataset.batch(2).make_one_shot_iterator().get_next()\n"
    )
    main = HEAD + textwrap.dedent(
        """
        import data

        def model_fn(features, labels, mode):
          y = tf.layers.dense(features, 1)
          return tf.estimator.EstimatorSpec(mode, predictions=y)

        def input_fn():
          return data.draw(tf.data.Dataset.from_tensors([1.0]))

        estimator = tf.estimator.Estimator(model_fn)
        print(list(estimator.predict(input_fn)))
        """
    )
    paths = _tree(tmp_path, main=main, data=data, alone=data)
    results = {r.path: r for r in run_tree(list(paths.values()))}
    assert not any(
        f.outcome is Outcome.REFUSED for r in results.values() for f in r.findings
    )
    assert b"estimator_loop.one_shot_iterator(dataset.batch(2))" in (
        results[paths["data"]].new
    )
    assert not results[paths["alone"]].changed


def test_modules_of_modules(tmp_path: pathlib.Path) -> None:
    main = MAIN.format(imports="import nets", model="pass", input="pass", top="pass")
    paths = _tree(tmp_path, main=main, nets="import deep\n", deep=MODULE, alone=MODULE)
    found = find_graph_modules(paths.values())
    assert found == {str(paths["nets"].resolve()), str(paths["deep"].resolve())}


def test_a_module_with_a_session_is_no_part_of_a_graph(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "nets.py"
    options = Options(tree=Tree(graph_modules=frozenset({str(path)})))
    migration = migrate_text(MODULE + "\ntf.Session()\n", options, str(path))
    assert {"S120", "N150"} <= {c for c, _ in _refused(migration)}
