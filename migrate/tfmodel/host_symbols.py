"""Names of TensorFlow that touch no graph: files, logging, messages, readers of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate.hosts import describe
from migrate.graph.values import Const, Symbol, Value
from migrate.tfmodel import names

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

# Names, or what names begin with, whose calls give host values and change no graph.
_HOSTS = (
    "tf.gfile.",
    "tf.io.gfile.",
    "tf.logging.",
    "tf.python_io.",
    "tf.io.TFRecordWriter",
    "tf.test.",
    "tf.errors.",
    "tf.sysconfig.",
    "tf.resource_loader.",
    "tf.summary.SummaryDescription",
    "tf.train.latest_checkpoint",
    "tf.train.get_checkpoint_state",
    "tf.train.checkpoint_exists",
    "tf.train.update_checkpoint_state",
    "tf.train.list_variables",
    "tf.train.load_variable",
    "tf.train.load_checkpoint",
    "tf.train.NewCheckpointReader",
    "tf.train.summary_iterator",
    "tf.train.get_checkpoint_mtimes",
    "tf.train.write_graph",
    "tf.io.write_graph",
    "tf.train.Example",
    "tf.train.SequenceExample",
    "tf.train.Feature",
    "tf.train.BytesList",
    "tf.train.Int64List",
    "tf.train.FloatList",
    "tf.train.remove_checkpoint",
    "tf.train.SessionRunArgs",
    "tf.train.ClusterDef",
    "tf.ConfigProto",
    "tf.GPUOptions",
    "tf.OptimizerOptions",
    "tf.GraphOptions",
    "tf.RunOptions",
    "tf.RunMetadata",
    "tf.Summary",
    "tf.HistogramProto",
    "tf.Event",
    "tf.SessionLog",
    "tf.GraphDef",
    "tf.profiler.",
    "tf.compat.as_",
    "tf.compat.path_to_str",
    "tf.set_random_seed",
    "tf.random.set_random_seed",
    "tf.device_spec",
    "tf.NotDifferentiable",
    "tf.as_dtype",
    "tf.contrib.tensorboard.",
    "tf.contrib.learn.datasets.",
    "tf.contrib.learn.python.learn.datasets.",
    "tf.examples.",
    "tf.models.",
    "tf.python.platform.tf_logging.",
    "tf.python.client.timeline.",
    "tf.python.client.device_lib.",
    "tf.python.framework.graph_util.",
    "tf.graph_util.",
    "tf.python.tools.",
    "tf.keras.datasets.",
    "tf.keras.utils.",
    "tf.keras.preprocessing.",
    "tf.contrib.training.HParams",
    "tf.disable_v2_behavior",
    "tf.disable_eager_execution",
    "tf.executing_eagerly",
    "tf.config.",
    "tf.make_ndarray",
    "tf.make_tensor_proto",
    "tf.get_logger",
    "tf.contrib.learn.preprocessing.",
    "tf.enable_resource_variables",
    "tf.summary.FileWriterCache",
    "tf.saved_model.builder.",
)
_DEFAULTS = {"tf.executing_eagerly": False, "tf.test.is_gpu_available": None}
# Constants below modules that are no constants in the table.
_ATTRIBUTES = {
    "tf.newaxis": None,
    "tf.__version__": "1.15.5",
    "tf.VERSION": "1.15.5",
}
# Data sets that TensorFlow's tutorials come with: their arrays are known by shape.
_PASS = frozenset(
    {"tf.compat.as_str", "tf.compat.as_bytes", "tf.compat.as_text", "tf.as_dtype"}
)


def attribute(m: Machine, path: str) -> Value | None:
    """What a name is that the table of public names has not."""
    if path in _ATTRIBUTES:
        return Const(_ATTRIBUTES[path])
    if path.startswith(_HOSTS):
        return Symbol(path)
    # Modules and private names: what is called is decided by the call.
    if path.startswith(("tf.contrib", "tf.python", "tf.examples", "tf.keras")):
        return Symbol(path)
    return None


def call(m: Machine, path: str, given: list[Value], named: dict[str, Value]) -> Value:
    """A call of a name that no function of this room answers."""
    if path in _PASS and given:
        return given[0]
    if path in _DEFAULTS and _DEFAULTS[path] is not None:
        return Const(_DEFAULTS[path])
    if path.startswith(_HOSTS):
        what = f"{path}({', '.join(map(describe, given))})"
        return m.hosts.fresh(what)
    found = names.look_up(path)
    if found is None:
        return m.problem(f"{path} is no public name of TensorFlow 1.15")
    return m.problem(f"{path} is not modelled")


def construct(
    m: Machine, path: str, given: list[Value], named: dict[str, Value]
) -> Value | None:
    """An object of a class that touches no graph; None: it is another class."""
    if path.startswith(_HOSTS):
        return m.hosts.fresh(f"{path}(...)")
    return None


def has_member(path: str, name: str) -> bool:
    """Whether a class of TensorFlow has a member that is not modelled: nobody knows."""
    return not path.startswith(("tf.Module", "tf.keras.Model", "tf.keras.layers.Layer"))


def call_method(
    m: Machine,
    what: str,
    receiver: Value,
    name: str,
    given: list[Value],
    named: dict[str, Value],
) -> Value:
    """A method of an object of the library that nobody answers for."""
    if what.startswith(_HOSTS):
        return m.hosts.fresh(f"{what}.{name}(...)")
    return m.problem(f"{what}.{name} is not modelled")
