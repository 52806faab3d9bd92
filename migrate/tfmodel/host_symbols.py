"""Names of TensorFlow that touch no graph: files, logging, messages, readers of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate.hosts import describe
from migrate.graph.values import Const, Symbol, Value
from migrate.tables import roles
from migrate.tfmodel import names

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

# Names, or what names begin with, whose calls give host values and change no graph; beside
# those that the compiler knows.
_HOSTS = (
    "tf.summary.SummaryDescription",
    "tf.train.SessionRunArgs",
    "tf.ConfigProto",
    "tf.GPUOptions",
    "tf.GraphOptions",
    "tf.RunOptions",
    "tf.RunMetadata",
    "tf.compat.as_",
    "tf.random.set_random_seed",
    "tf.NotDifferentiable",
    "tf.contrib.tensorboard.",
    "tf.models.",
    "tf.python.platform.tf_logging.",
    "tf.python.client.timeline.",
    "tf.python.framework.graph_util.",
    "tf.python.tools.",
    "tf.disable_v2_behavior",
    "tf.disable_eager_execution",
    "tf.enable_resource_variables",
    "tf.summary.FileWriterCache",
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


# Names that the compiler counts as host code, but that other modules here model.
_MODELLED = (
    *("tf.app", "tf.flags", "tf.io.TFRecordOptions", "tf.train.Coordinator"),
    *("tf.train.NanLossDuringTrainingError", "tf.GraphKeys", "tf.AUTO_REUSE"),
    *("tf.reset_default_graph", "tf.get_default_graph", "tf.Graph", "tf.TensorShape"),
    *("tf.Dimension", "tf.DType", "tf.dtypes", "tf.VERSION", "tf.version"),
    "tf.__version__",
)


def _is_host(path: str) -> bool:
    if roles.has_prefix(path, _MODELLED):
        return False
    return path.startswith(_HOSTS) or roles.has_prefix(path, roles.HOST_PREFIXES)


def attribute(m: Machine, path: str) -> Value | None:
    """Returns a name's value, if the table of public names lacks the name."""
    if path in _ATTRIBUTES:
        return Const(_ATTRIBUTES[path])
    if _is_host(path):
        return Symbol(path)
    # Modules and private names: what is called is decided by the call.
    if path.startswith(("tf.contrib", "tf.python", "tf.examples", "tf.keras")):
        return Symbol(path)
    return None


def call(m: Machine, path: str, given: list[Value], named: dict[str, Value]) -> Value:
    """Calls a name that no other function models."""
    if path in _PASS and given:
        return given[0]
    if path in _DEFAULTS and _DEFAULTS[path] is not None:
        return Const(_DEFAULTS[path])
    if _is_host(path):
        what = f"{path}({', '.join(map(describe, given))})"
        return m.hosts.make_fresh(what)
    found = names.look_up(path)
    if found is None:
        return m.report_problem(f"{path} is no public name of TensorFlow 1.15")
    return m.report_problem(f"{path} is not modelled")


def construct(
    m: Machine, path: str, given: list[Value], named: dict[str, Value]
) -> Value | None:
    """An object of a class that touches no graph; None: it is another class."""
    if _is_host(path):
        return m.hosts.make_fresh(f"{path}(...)")
    return None


def has_member(path: str, name: str) -> bool:
    """Whether a class of TensorFlow may have members that are not modelled."""
    return not path.startswith(("tf.Module", "tf.keras.Model", "tf.keras.layers.Layer"))


def call_method(
    m: Machine,
    what: str,
    receiver: Value,
    name: str,
    given: list[Value],
    named: dict[str, Value],
) -> Value:
    """Calls a method of a library object that no other function models."""
    if _is_host(what):
        return m.hosts.make_fresh(f"{what}.{name}(...)")
    return m.report_problem(f"{what}.{name} is not modelled")
