"""The table of TensorFlow's names, and what was measured about them, hold."""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from migrate.findings import Outcome
from migrate.rules.symbols import find_verdict
from migrate.tables import graph_only, semantics, symbols
from migrate.tables.graph_only import GRAPH_ONLY, Effect
from reference import symbols as generator
from reference.environment import find_tf1
from tests import ledger

TABLES = pathlib.Path(symbols.__file__).parent
STATUSES = {"same", "changed", "compat", "moved", "gone", "contrib"}
needs_tensorflow = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None
    or importlib.util.find_spec("tf_keras") is None,
    reason="needs tensorflow and tf_keras",
)


# -- the loader ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "status", "new_name"),
    [
        ("tf.matmul", "same", "tf.matmul"),
        ("tf.float32", "same", "tf.float32"),
        ("tf.train.ClusterSpec", "same", "tf.train.ClusterSpec"),
        ("tf.log", "moved", "tf.math.log"),
        ("tf.random_normal", "moved", "tf.random.normal"),
        ("tf.matrix_inverse", "moved", "tf.linalg.inv"),
        ("tf.train.Server", "moved", "tf.distribute.Server"),
        ("tf.keras.layers.Dense", "moved", "tf_keras.layers.Dense"),
        # Small integers and strings are one object; that is not what is meant.
        ("tf.GRAPH_DEF_VERSION", "moved", "tf.version.GRAPH_DEF_VERSION"),
        ("tf.CXX11_ABI_FLAG", "moved", "tf.sysconfig.CXX11_ABI_FLAG"),
        ("tf.where", "changed", "tf.compat.v1.where"),
        ("tf.reduce_sum", "changed", "tf.compat.v1.reduce_sum"),
        ("tf.summary.scalar", "changed", "tf.compat.v1.summary.scalar"),
        ("tf.data.Dataset", "changed", "tf.compat.v1.data.Dataset"),
        # Two wrappers of one function.
        ("tf.math.abs", "changed", "tf.math.abs"),
        ("tf.Session", "compat", "tf.compat.v1.Session"),
        ("tf.GraphKeys.UPDATE_OPS", "compat", "tf.compat.v1.GraphKeys.UPDATE_OPS"),
        ("tf.RunOptions.FULL_TRACE", "compat", "tf.compat.v1.RunOptions.FULL_TRACE"),
        ("tf.layers.dense", "compat", "tf.compat.v1.layers.dense"),
        ("tf.estimator.Estimator", "gone", ""),
        ("tf.estimator.ModeKeys.TRAIN", "gone", ""),
        ("tf.contrib.layers.fully_connected", "contrib", ""),
        ("tf.contrib.no.such.name", "contrib", ""),
    ],
)
def test_lookup(name: str, status: str, new_name: str) -> None:
    row = symbols.look_up(name)
    assert row is not None
    assert (row.name, row.status, row.new_name) == (name, status, new_name)


def test_attributes_share_the_fate_of_their_class() -> None:
    row = symbols.look_up("tf.train.AdamOptimizer.minimize")
    assert row is not None
    assert row.new_name == "tf.compat.v1.train.AdamOptimizer.minimize"
    assert row.signature_v1 == ()
    owner = symbols.find_known_prefix("tf.train.AdamOptimizer.minimize")
    assert owner is not None
    assert owner.name == "tf.train.AdamOptimizer"
    gone = symbols.look_up("tf.estimator.Estimator.train")
    assert gone is not None
    assert gone.new_name == ""


@pytest.mark.parametrize(
    "name", ["tf", "tf.train", "tf.nope", "tf.train.Nope", "os.path"]
)
def test_modules_and_strangers_have_no_row(name: str) -> None:
    assert symbols.look_up(name) is None


def test_signatures() -> None:
    row = symbols.list_symbols()["tf.argmax"]
    assert row.signature_v1 == ("input", "axis", "name", "dimension", "output_type")
    assert row.signature_v2 == ("input", "axis", "output_type", "name")
    assert row.parameters_v1[-1] == "output_type=tf.int64"


def test_flags() -> None:
    rows = symbols.list_symbols()
    assert rows["tf.math.abs"].flags == {"decorated"}
    assert "legacy-keras" in rows["tf.layers.dense"].flags
    # DatasetV1's methods wrap Dataset's, but return another class.
    assert not rows["tf.data.Dataset.from_tensor_slices"].flags
    assert rows["tf.gfile.Exists"].suggestion == "tf.io.gfile.exists"
    assert rows["tf.estimator.Estimator"].status_2_15 == "changed"


@pytest.mark.parametrize(
    "name",
    [
        "tf",
        "tf.train",
        "tf.nn.relu",
        "tf.compat.v1.log",
        "tf.compat.v1.train.Saver.save",
        "tf.compat.v2.nn.relu",
        "tf.summary.scalar",
        "tf.distribute.coordinator.ClusterCoordinator",
        "tf.distribute.experimental.partitioners.MinSizePartitioner",
        "tf_keras.layers.Dense",
        "tf_keras.optimizers.legacy.Adam",
        "tf_keras.optimizers.schedules.ExponentialDecay",
    ],
)
def test_exists_in_target(name: str) -> None:
    assert symbols.exists_in_target(name)


@pytest.mark.parametrize(
    "name",
    [
        "tf.log",
        "tf.nn.nope",
        "tf.Session",
        "tf.flags",
        "tf.contrib.slim",
        "tf.estimator.Estimator",  # in 2.15 only
        "tf.compat.v1.layers.dense",  # not without TF_USE_LEGACY_KERAS
        "tf.compat.v1.distribute.experimental.partitioners.MinSizePartitioner",
        "tf_keras.nope",
        "tensorflow",
    ],
)
def test_does_not_exist_in_target(name: str) -> None:
    assert not symbols.exists_in_target(name)


# -- the data --------------------------------------------------------------------------


@pytest.mark.parametrize("name", [symbols.TABLE, symbols.TARGETS])
def test_rows_are_sorted_and_unique(name: str) -> None:
    text = (TABLES / name).read_text("utf-8")
    names = [
        line.partition("\t")[0]
        for line in text.splitlines()
        if not line.startswith("#")
    ]
    assert names == sorted(set(names))
    assert text.endswith("\n")


def test_statuses_are_closed() -> None:
    rows = symbols.list_symbols().values()
    assert {row.status for row in rows} == STATUSES
    assert {row.status_2_15 for row in rows} <= STATUSES


def test_every_new_name_exists() -> None:
    missing = [
        row.name
        for row in symbols.list_symbols().values()
        if row.new_name
        and "legacy-keras" not in row.flags
        and not symbols.exists_in_target(row.new_name)
    ]
    assert missing == []


def test_reviewed_tables_name_real_symbols() -> None:
    known = {*symbols.list_symbols(), *symbols.list_modules()}
    assert set(GRAPH_ONLY) <= known
    assert semantics.SEMANTICS <= known
    for symbol in semantics.SEMANTICS:
        assert symbols.exists_in_target(symbol.replace("tf.", "tf.compat.v1.", 1)), (
            symbol
        )


def test_graph_only_covers_what_is_below() -> None:
    assert graph_only.find("tf.metrics.accuracy") == GRAPH_ONLY["tf.metrics"]
    assert graph_only.find("tf.Session.run") is not None
    assert graph_only.find("tf.train.Coordinator") is None
    row = symbols.look_up("tf.placeholder")
    assert row is not None and row.graph_only


def test_hooks_that_need_a_session_have_recipes_of_their_own() -> None:
    common = graph_only.find_recipe("tf.placeholder")
    for name in ("tf.train.FinalOpsHook", "tf.train.FeedFnHook"):
        found = find_verdict(name)
        assert (found.outcome, found.code) == (Outcome.REFUSED, "T112")
        assert found.recipe == graph_only.find_recipe(name) != common


# -- against TensorFlow ----------------------------------------------------------------


def _old_parameters(name: str) -> list[str] | None:
    """1.15.5's parameters as the generator has them."""
    text = symbols._read_raw()[name].split("\t")
    field = text[4] if len(text) > 4 else ""
    if field in ("", "?"):
        return None
    return [] if field == "()" else field.split()


def _keras_owned(name: str) -> bool:
    """Names that depend on which Keras 3 is installed."""
    part = name.removeprefix("tf.compat.v1.").removeprefix("tf.").partition(".")[0]
    return not name.startswith("tf_keras.") and part in generator.KERAS_OWNED


@pytest.fixture(scope="module")
def installed() -> generator._Target:
    """Returns the exports of this interpreter's TensorFlow, read in other processes."""
    target = generator.load_target(sys.executable)
    if target.version not in ("2.15.1", "2.21.0"):
        pytest.skip(f"the tables do not describe TensorFlow {target.version}")
    return target


@needs_tensorflow
def test_target_names_are_those_installed(installed: generator._Target) -> None:
    fresh = {n for n in generator.target_rows([installed]) if not _keras_owned(n)}
    table = {
        n for n in symbols.list_target_names(installed.version) if not _keras_owned(n)
    }
    assert fresh - table == set()
    assert table - fresh == set()
    assert len(fresh) > 6000


@needs_tensorflow
def test_statuses_are_those_installed(installed: generator._Target) -> None:
    main = installed.version == "2.21.0"
    wrong = []
    for name, row in symbols.list_symbols().items():
        # raw_ops have no signature in the table.
        if row.status == "contrib" or name.startswith("tf.raw_ops."):
            continue
        if _keras_owned(name) and not name.startswith("tf.keras."):
            continue
        status, new_name, flags = installed.judge(name, _old_parameters(name))
        if main:
            expected: object = (row.status, row.new_name, row.flags)
            found: object = (status, new_name, frozenset(flags))
        else:
            expected, found = row.status_2_15, status
        if expected != found:
            wrong.append((name, expected, found))
    assert wrong == []


@pytest.mark.rests_on(ledger.COMPILER)
@pytest.mark.skipif(find_tf1() is None, reason="no interpreter with TensorFlow 1.15.5")
def test_tf1_names_are_those_of_tf1() -> None:
    fresh = generator.run_dump(str(find_tf1()))["tf"]
    assert sorted(fresh) == sorted(symbols.list_symbols())
    differing = [
        name
        for name, row in fresh.items()
        if not name.startswith("tf.raw_ops.")
        and (row.get("signature") or None) != (_old_parameters(name) or None)
    ]
    assert differing == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (["x", "name=None"], ["x", "name=None"], True),
        (["x", "name=None"], ["x", "name=None", "layout=None"], True),
        (["x", "name=None"], ["x", "output_type=None", "name=None"], True),
        (["x", "axis=None"], ["x", "axis=0"], False),
        (["x", "axis=None"], ["axis=None", "x"], False),
        (["x", "dim=None"], ["x"], False),
        (["x"], ["x", "y"], False),
        (["x", "name=None"], ["x"], False),
        ([], [], True),
        (["x"], None, False),
    ],
)
def test_compatible(old: list[str], new: list[str] | None, expected: bool) -> None:
    assert generator.compatible(old, new) is expected


# -- the measured claims ---------------------------------------------------------------


def _scaffold(tf: Any, directory: str) -> None:
    tf.train.Scaffold().finalize()


def _queue_runner(tf: Any, directory: str) -> None:
    queue = tf.FIFOQueue(1, [tf.float32])
    tf.train.QueueRunner(queue, [queue.enqueue(1.0)])


def _same_variable(tf: Any, directory: str) -> bool:
    one = tf.get_variable("once", [1])
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        return tf.get_variable("once", [1]) is one


def _scope_shares(tf: Any, directory: str) -> bool:
    with tf.variable_scope("shared"):
        one = tf.get_variable("v", [1])
    with tf.variable_scope("shared", reuse=True):
        return tf.get_variable("v", [1]) is one


def _total_loss(tf: Any, directory: str) -> Any:
    tf.losses.mean_squared_error([1.0], [2.0])
    return tf.losses.get_total_loss()


def _losses(tf: Any, directory: str) -> Any:
    tf.losses.mean_squared_error([1.0], [2.0])
    return tf.losses.get_losses()


def _made(tf: Any, lister: str) -> Any:
    variable = tf.get_variable(f"for_{lister}", [1])
    assert variable.trainable
    return getattr(tf, lister)()


def _device_setter(tf: Any, directory: str) -> None:
    with tf.device(tf.train.replica_device_setter(ps_tasks=1)):
        pass


def _stop_hook(tf: Any, directory: str) -> None:
    with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(1)]):
        pass


# Not called: SyncReplicasOptimizer (it would wait for ever), InteractiveSession (it
# stays the default session of the process).
PROBES: dict[str, Callable[[Any, str], Any]] = {
    "tf.Session": lambda tf, d: tf.Session().run(tf.constant(1)),
    "tf.get_default_session": lambda tf, d: tf.get_default_session(),
    "tf.get_session_handle": lambda tf, d: tf.get_session_handle(tf.constant(1.0)),
    "tf.placeholder": lambda tf, d: tf.placeholder(tf.float32),
    "tf.sparse_placeholder": lambda tf, d: tf.sparse_placeholder(tf.float32),
    "tf.ragged.placeholder": lambda tf, d: tf.ragged.placeholder(tf.float32, 1),
    "tf.train.MonitoredTrainingSession": lambda tf, d: (
        tf.train.MonitoredTrainingSession()
    ),
    "tf.train.MonitoredSession": lambda tf, d: tf.train.MonitoredSession(),
    "tf.train.SingularMonitoredSession": lambda tf, d: (
        tf.train.SingularMonitoredSession()
    ),
    "tf.train.Scaffold": _scaffold,
    "tf.train.Supervisor": lambda tf, d: tf.train.Supervisor(logdir=d),
    "tf.train.QueueRunner": _queue_runner,
    "tf.train.start_queue_runners": lambda tf, d: tf.train.start_queue_runners(),
    "tf.train.string_input_producer": lambda tf, d: tf.train.string_input_producer(
        ["a"]
    ),
    "tf.train.batch": lambda tf, d: tf.train.batch([tf.constant(1)], 2),
    "tf.train.shuffle_batch": lambda tf, d: tf.train.shuffle_batch(
        [tf.constant(1)], 2, 4, 2
    ),
    "tf.TFRecordReader": lambda tf, d: tf.TFRecordReader(),
    "tf.TextLineReader": lambda tf, d: tf.TextLineReader(),
    "tf.LMDBReader": lambda tf, d: tf.LMDBReader(),
    "tf.global_variables_initializer": lambda tf, d: tf.global_variables_initializer(),
    "tf.local_variables_initializer": lambda tf, d: tf.local_variables_initializer(),
    "tf.tables_initializer": lambda tf, d: tf.tables_initializer(),
    "tf.initialize_all_variables": lambda tf, d: tf.initialize_all_variables(),
    "tf.assert_variables_initialized": lambda tf, d: tf.assert_variables_initialized(
        [tf.Variable(1.0)]
    ),
    "tf.global_variables": lambda tf, d: _made(tf, "global_variables"),
    "tf.trainable_variables": lambda tf, d: _made(tf, "trainable_variables"),
    "tf.get_collection": lambda tf, d: tf.get_collection(tf.GraphKeys.UPDATE_OPS),
    "tf.add_check_numerics_ops": lambda tf, d: tf.add_check_numerics_ops(),
    "tf.get_variable": _same_variable,
    "tf.variable_scope": _scope_shares,
    "tf.metrics": lambda tf, d: tf.metrics.mean([1.0]),
    "tf.summary.FileWriter": lambda tf, d: tf.summary.FileWriter(d),
    "tf.summary.merge": lambda tf, d: tf.summary.merge([b""]),
    "tf.summary.merge_all": lambda tf, d: tf.summary.merge_all(),
    "tf.summary.image": lambda tf, d: tf.summary.image("image", tf.zeros([1, 2, 2, 3])),
    "tf.gradients": lambda tf, d: tf.gradients([tf.constant(1.0)], [tf.constant(1.0)]),
    "tf.train.export_meta_graph": lambda tf, d: tf.train.export_meta_graph(),
    "tf.data.make_initializable_iterator": lambda tf, d: (
        tf.data.make_initializable_iterator(tf.data.Dataset.range(1))
    ),
    "tf.losses.get_total_loss": _total_loss,
    "tf.losses.get_losses": _losses,
    "tf.train.replica_device_setter": _device_setter,
    "tf.SparseConditionalAccumulator": lambda tf, d: tf.SparseConditionalAccumulator(
        tf.float32
    ),
    "tf.train.StopAtStepHook": _stop_hook,
}


@pytest.fixture
def directory() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as path:
        yield path


@needs_tensorflow
@pytest.mark.parametrize("symbol", PROBES)
def test_graph_only_claims(symbol: str, directory: str) -> None:
    import tensorflow as tf

    effect = GRAPH_ONLY[symbol].effect

    def call() -> Any:
        return PROBES[symbol](tf.compat.v1, directory)

    if effect is Effect.RAISES:
        with pytest.raises(Exception) as raised:  # noqa: B017, PT011
            call()
        # A probe that is wrong itself must not look like a proof.
        assert not isinstance(raised.value, (NameError, ImportError, AssertionError))
        if isinstance(raised.value, (TypeError, AttributeError)):
            assert "eager" in str(raised.value)
    elif effect is Effect.NOTHING:
        assert call() is None
    elif effect is Effect.EMPTY:
        assert not call()
    else:
        assert effect is Effect.WRONG
        assert call() is False


WORKING: dict[str, Callable[[Any, str], Any]] = {
    "tf.make_template": lambda tf, d: tf.make_template(
        "template", lambda: tf.get_variable("v", [1])
    )(),
    "tf.train.Coordinator": lambda tf, d: tf.train.Coordinator().should_stop(),
    "tf.train.ExponentialMovingAverage": lambda tf, d: (
        tf.train.ExponentialMovingAverage(0.9).apply([tf.Variable(1.0)])
    ),
    "tf.train.get_or_create_global_step": lambda tf, d: (
        tf.train.get_or_create_global_step()
    ),
    "tf.train.Saver": lambda tf, d: tf.train.Saver([tf.Variable(1.0, name="v")]).save(
        None, f"{d}/model"
    ),
    "tf.losses.mean_squared_error": lambda tf, d: tf.losses.mean_squared_error(
        [1.0], [2.0]
    ),
    "tf.data.make_one_shot_iterator": lambda tf, d: tf.data.make_one_shot_iterator(
        tf.data.Dataset.range(1)
    ).get_next(),
    "tf.summary.scalar": lambda tf, d: tf.summary.scalar("scalar", 1.0),
}


@needs_tensorflow
@pytest.mark.parametrize("symbol", WORKING)
def test_what_works_eagerly_is_not_listed(symbol: str, directory: str) -> None:
    import tensorflow as tf

    assert graph_only.find(symbol) is None
    WORKING[symbol](tf.compat.v1, directory)


@needs_tensorflow
@pytest.mark.rests_on(ledger.COMPILER)
def test_an_accumulator_works_eagerly() -> None:
    """In a process of its own, which it would abort when TensorFlow drops its kernels."""
    symbol = "tf.ConditionalAccumulator"
    assert graph_only.find(symbol) is None
    program = f"import tensorflow\n{symbol.replace('tf.', 'tensorflow.compat.v1.')}"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}(tensorflow.float32)\nprint('made')"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout == "made\n", done.stderr


@needs_tensorflow
def test_semantics_claims() -> None:
    """Each pair is what compat.v1 and the TF2 namesake give for the same call."""
    import inspect

    import tensorflow as tf

    v1 = tf.compat.v1
    ones, fives = [[1, 2], [3, 4]], [[5, 6], [7, 8]]
    assert v1.where([True, False], ones, fives).numpy().tolist() == [[1, 2], [7, 8]]
    assert tf.where([True, False], ones, fives).numpy().tolist() == [[1, 6], [3, 8]]

    tables = [[[0.0], [2.0]], [[1.0], [3.0]]]
    assert v1.nn.embedding_lookup(tables, [1]).numpy().item() == 1.0
    assert tf.nn.embedding_lookup(tables, [1]).numpy().item() == 2.0

    image = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    old = v1.image.resize_bilinear(image, [4, 4])[0, 0, :, 0]
    new = tf.image.resize(image, [4, 4])[0, 0, :, 0]
    assert old.numpy().tolist() == [0.0, 0.5, 1.0, 1.0]
    assert new.numpy().tolist() == [0.0, 0.25, 0.75, 1.0]

    def gradient(loss: Any) -> Any:
        labels = tf.constant([[0.3, 0.7]])
        with tf.GradientTape() as tape:
            tape.watch(labels)
            value = loss(labels=labels, logits=tf.constant([[1.0, 2.0]]))
        return tape.gradient(value, labels)

    assert gradient(v1.nn.softmax_cross_entropy_with_logits) is None
    assert gradient(tf.nn.softmax_cross_entropy_with_logits) is not None

    def default(function: Any, parameter: str) -> Any:
        return inspect.signature(function).parameters[parameter].default

    assert default(v1.random_normal_initializer, "stddev") == 1.0
    assert default(tf.random_normal_initializer, "stddev") == 0.05
    assert default(tf.random_uniform_initializer, "minval") == -0.05

    assert isinstance(v1.strings.split(["a b"]), tf.SparseTensor)
    assert isinstance(tf.strings.split(["a b"]), tf.RaggedTensor)
    assert v1.div(7, 2).numpy() == 3
    assert tf.divide(7, 2).numpy() == 3.5
    with pytest.raises(TypeError, match="unhashable"):
        hash(tf.constant(1))
    assert isinstance(tf.zeros([2]).shape[0], int)
    assert [tf.Variable(1.0, name="q").name for _ in range(2)] == ["q:0", "q:0"]
    assert callable(v1.train.exponential_decay(0.1, tf.Variable(0), 10, 0.9))


def test_every_public_name_has_a_verdict_that_holds() -> None:
    """Kept or rewritten under a name that exists, or refused with a reason and a recipe."""
    outcomes: dict[str, int] = {}
    for name in symbols.list_symbols():
        found = find_verdict(name)
        outcomes[found.outcome.value] = outcomes.get(found.outcome.value, 0) + 1
        if found.outcome is Outcome.REFUSED:
            assert found.reason and found.recipe, name
        elif found.target.startswith(("tf.", "tf_keras.")):
            assert symbols.exists_in_target(found.target), (name, found.target)
        else:
            assert found.target, name
    assert set(outcomes) == {"kept", "rewritten", "refused"}
    assert min(outcomes.values()) > 500


def test_what_is_written_is_not_taken_for_another_symbol_of_tf1() -> None:
    """A file that is migrated again is as it was."""
    for name in symbols.list_symbols():
        found = find_verdict(name)
        if found.outcome is Outcome.REWRITTEN and symbols.look_up(found.target):
            again = find_verdict(found.target)
            assert (again.outcome, again.target) == (Outcome.KEPT, found.target), name
