"""TensorFlow 1.15.5's public names: which object each is; generated, see `names.tsv`.

`reference/genuine/labels.py` writes the data from TensorFlow itself. Names that mean one object have
one label, the module and the name of its definition.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
import json

from migrate.graph.values import Const, DType, Value
from migrate.tables import symbols

TABLE = "names.tsv"
_PREFIXES = (
    ("tf.compat.v1.", "tf."),
    ("tf.python.framework.ops.", "tf."),
    ("tf.python.ops.rnn_cell.", "tf.nn.rnn_cell."),
    ("tf.python.ops.rnn_cell_impl.", "tf.nn.rnn_cell."),
    ("tf.python.ops.nn.", "tf.nn."),
    ("tf.python.ops.array_ops.", "tf."),
    ("tf.python.ops.math_ops.", "tf."),
    ("tf.python.ops.variable_scope.", "tf."),
    ("tf.python.ops.init_ops.", "tf."),
    ("tf.python.ops.random_ops.", "tf."),
    ("tf.python.ops.control_flow_ops.", "tf."),
    ("tf.python.ops.tensor_array_ops.", "tf."),
    ("tf.python.ops.rnn.", "tf.nn."),
    ("tf.python.ops.seq2seq.", "tf.contrib.legacy_seq2seq."),
    ("tf.python.framework.dtypes.", "tf."),
    ("tf.python.framework.constant_op.", "tf."),
    ("tf.python.client.session.", "tf."),
    ("tf.python.platform.gfile.", "tf.gfile."),
    ("tf.python.platform.flags.", "tf.flags."),
    ("tf.python.keras.", "tf.keras."),
    ("tf.contrib.slim.python.slim.nets.", "tf.contrib.slim.nets."),
    ("tf.contrib.framework.python.ops.", "tf.contrib.framework."),
    ("tf.contrib.layers.python.layers.", "tf.contrib.layers."),
    ("tf.app.flags.", "tf.flags."),
    ("tf.contrib.slim.losses.", "tf.contrib.losses."),
    ("tf.contrib.slim.metrics.", "tf.contrib.metrics."),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Name:
    """A public name.

    Attributes:
      kind: "f", "c", "v" or "o": a function, a class, a constant, another object.
      label: of the definition; a constant's text.
    """

    kind: str
    label: str


@functools.cache
def _rows() -> dict[str, str]:
    text = importlib.resources.files(__package__).joinpath(TABLE).read_text("utf-8")
    parts = (line.partition("\t") for line in text.splitlines() if line[:1] != "#")
    return {name: rest for name, _, rest in parts}


@functools.cache
def _modules() -> frozenset[str]:
    found: set[str] = set()
    for name in _rows():
        prefix = name.rpartition(".")[0]
        while prefix and prefix not in found:
            found.add(prefix)
            prefix = prefix.rpartition(".")[0]
    return frozenset(found | {"tf.compat", "tf.compat.v1", "tf.python"})


@functools.cache
def canonical(path: str) -> str:
    """A name in the spelling that the tables have."""
    changed = True
    while changed:
        changed = False
        for old, new in _PREFIXES:
            if path.startswith(old):
                path, changed = new + path[len(old) :], True
    return path


def look_up(path: str) -> Name | None:
    """Looks up a public name of TensorFlow 1.15.5; None if there is no such name."""
    row = _rows().get(path)
    if row is None:
        return None
    kind, _, label = row.partition("\t")
    return Name(kind, label)


def is_module(path: str) -> bool:
    """Whether names stand below a name."""
    return path in _modules()


def constant(name: Name) -> Value | None:
    """The value of a constant."""
    if name.kind != "v":
        return None
    if name.label.startswith("dtype "):
        return DType(name.label.removeprefix("dtype "))
    return Const(json.loads(name.label))


# Classes that take `*args, **kwargs` and give them to another.
_WRAPPERS = {
    "tf.nn.rnn_cell.DropoutWrapper": (
        *("cell", "input_keep_prob=1.0", "output_keep_prob=1.0"),
        *("state_keep_prob=1.0", "variational_recurrent=False", "input_size=None"),
        *("dtype=None", "seed=None", "dropout_state_filter_visitor=None"),
    ),
    "tf.nn.rnn_cell.ResidualWrapper": ("cell", "residual_fn=None"),
    "tf.nn.rnn_cell.DeviceWrapper": ("cell", "device"),
}
_WRAPPERS |= {
    path.replace("tf.nn.rnn_cell.", "tf.contrib.rnn."): row
    for path, row in _WRAPPERS.items()
}


@functools.cache
def parameters(path: str) -> tuple[str, ...] | None:
    """The parameters of a function or a class: `axis=None`; None where they are not known."""
    if path in _WRAPPERS:
        return _WRAPPERS[path]
    symbol = symbols.look_up(path)
    return None if symbol is None else symbol.parameters_v1
