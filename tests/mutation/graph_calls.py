"""Calls of TensorFlow in a graph, and what they give: one tensor, of which name and shape.

    python -m tests.mutation.graph_calls

makes all of them in TensorFlow, and writes `observed_tensors.json`.
"""

from __future__ import annotations

import ast
import json
import pathlib
from typing import Any

RECORDED = pathlib.Path(__file__).with_name("observed_tensors.json")

# What gives a tensor, or an array, of one element in one or two dimensions.
SHAPED = """
tf.get_variable('v', [1, 1])
tf.get_variable('w', shape=[1, 1])
tf.placeholder(tf.float32, [1, 1])
tf.placeholder(tf.float32, shape=[1, 1])
tf.zeros([1, 1])
tf.zeros(shape=[1, 1])
tf.ones([1, 1])
tf.ones(shape=[1, 1])
tf.random_normal([1, 1])
tf.random_normal(shape=[1, 1])
tf.random_uniform([1, 1])
tf.random_uniform(shape=[1, 1])
tf.truncated_normal([1, 1])
tf.truncated_normal(shape=[1, 1])
tf.random.normal([1, 1])
tf.random.normal(shape=[1, 1])
tf.random.uniform([1, 1])
tf.random.uniform(shape=[1, 1])
tf.random.truncated_normal([1, 1])
tf.random.truncated_normal(shape=[1, 1])
tf.fill([1, 1], 2.0)
tf.fill(dims=[1, 1], value=2.0)
tf.constant(2.0, tf.float32, [1, 1])
tf.constant(2.0, shape=[1, 1])
tf.reshape([2.0], [1, 1])
tf.reshape([2.0], shape=[1, 1])
numpy.zeros([1, 1])
numpy.zeros(shape=[1, 1])
numpy.ones([1, 1])
numpy.ones(shape=[1, 1])
numpy.full([1, 1], 2.0)
numpy.full(shape=[1, 1], fill_value=2.0)
numpy.random.normal(0.0, 1.0, [1, 1])
numpy.random.normal(size=[1, 1])
numpy.random.uniform(0.0, 1.0, [1, 1])
numpy.random.uniform(size=[1, 1])
numpy.random.rand(1, 1)
numpy.random.randn(1, 1)
tf.matmul([[2.0, 3.0]], [[2.0], [3.0]])
tf.linalg.matmul([[2.0, 3.0]], [[2.0], [3.0]])
tf.div([2.0], [[3.0]])
tf.add([2.0], [[3.0]])
tf.subtract([2.0], [[3.0]])
tf.multiply([2.0], [[3.0]])
tf.divide([2.0], [[3.0]])
tf.truediv([2.0], [[3.0]])
tf.realdiv([2.0], [[3.0]])
tf.maximum([2.0], [[3.0]])
tf.minimum([2.0], [[3.0]])
tf.pow([2.0], [[3.0]])
tf.squared_difference([2.0], [[3.0]])
tf.math.add([2.0], [[3.0]])
tf.math.subtract([2.0], [[3.0]])
tf.math.multiply([2.0], [[3.0]])
tf.math.divide([2.0], [[3.0]])
tf.math.truediv([2.0], [[3.0]])
tf.math.maximum([2.0], [[3.0]])
tf.math.minimum([2.0], [[3.0]])
tf.math.pow([2.0], [[3.0]])
tf.math.squared_difference([2.0], [[3.0]])
tf.Variable([[2.0]])
tf.constant([[2.0]])
tf.identity([[2.0]])
tf.convert_to_tensor([[2.0]])
tf.abs([[2.0]])
tf.exp([[2.0]])
tf.log([[2.0]])
tf.negative([[2.0]])
tf.sigmoid([[2.0]])
tf.sqrt([[2.0]])
tf.square([[2.0]])
tf.tanh([[2.0]])
tf.nn.relu([[2.0]])
tf.nn.sigmoid([[2.0]])
tf.nn.tanh([[2.0]])
tf.cast([[2.0]], tf.float64)
numpy.array([[2.0]])
numpy.asarray([[2.0]])
numpy.float32([[2.0]])
numpy.float64([[2.0]])
"""


def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORDED.read_text("utf-8"))
    return found


def find_others_than_tensors() -> list[str]:
    """Functions and layers that give something else than the tool says."""
    from migrate.tables import one_tensor

    seen = _recorded()
    return [
        *({*seen["tensors"]} ^ one_tensor.SYMBOLS),
        *({*seen["layers"]} ^ one_tensor.LAYERS),
        *({*seen["several"]} ^ one_tensor.SEVERAL),
    ]


def find_other_names() -> list[str]:
    """Functions whose operation has another name than they are given."""
    from migrate.tables import named_tensors

    return sorted({*_recorded()["named"]} ^ named_tensors.NAMED)


def find_other_shapes() -> list[str]:
    """Calls that give another shape than the tool says."""
    from migrate.facts.scopes import build_scopes
    from migrate.rules.mistakes import one_element
    from migrate.source.nodes import parse_source

    found = []
    for call, shape in _recorded()["shapes"].items():
        text = f"import numpy\nimport tensorflow as tf\ntf.log(1.0)\nvalue = {call}\n"
        last = parse_source(text).body[-1]
        assert isinstance(last, ast.Assign)
        told = one_element._find_shape(build_scopes(parse_source(text)), last.value)
        if told != tuple(shape):
            found.append(f"{call}: {told}, observed {shape}")
    return found


def find_other_numbers() -> list[str]:
    """Finds ways of reading an array's one number that the tables do not have."""
    import numpy as np

    from migrate.tables import one_element

    array = np.ones([1, 1])
    found = []
    for name in ("complex", "float", "int", "bool", "str", "repr", "len"):
        asks = _raises(f"{name}(array)", array)
        if asks != (name in one_element.NUMBERS):
            found.append(f"{name}: {asks}")
    for letter in "diueEfFgGsrac%":
        asks = _raises(f"'%{letter}' % array", array)
        if letter not in "c%" and asks != (letter in one_element.CONVERSIONS):
            found.append(f"%{letter}: {asks}")
    return found + [c for c in one_element.CONVERSIONS if c not in "diueEfFgG"]


def _raises(text: str, array: object) -> bool:
    try:
        eval(text, {"array": array})
    except TypeError:
        return True
    return False


# -- what is recorded --------------------------------------------------------------------


def _is_named(symbol: str) -> bool:
    """Whether the operation of what it gives has the name that it is told."""
    import functools

    import tensorflow as tf

    from tests.migrate.backends.direct_steps import test_one_tensor as given

    function = functools.reduce(getattr, symbol.split(".")[1:], tf.compat.v1)
    names = set()
    # Of a value that is of the type already, there is no operation.
    cases = [(given.MATRIX, tf.float64)] if symbol == "tf.cast" else given.GIVEN
    for arguments in cases:
        with tf.Graph().as_default():
            try:
                names.add(function(*arguments, name="told").op.name)
            except Exception:
                continue
    return names == {"told"}


def _shape_of(text: str) -> list[int]:
    import numpy
    import tensorflow as tf

    with tf.Graph().as_default():
        made = eval(text, {"tf": tf.compat.v1, "numpy": numpy})
        return list(made.shape)


def observe() -> dict[str, Any]:
    """All that is recorded, as TensorFlow gives it now."""
    import tensorflow as tf

    from migrate.tables import named_tensors, one_tensor
    from tests.migrate.backends.direct_steps import test_one_tensor as given

    tensors = []
    for symbol in sorted(one_tensor.SYMBOLS):
        results = given._results(symbol)
        if results and all(isinstance(r, tf.Tensor) for r in results):
            tensors.append(symbol)
    layers = []
    for layer in sorted(one_tensor.LAYERS):
        given.test_a_layer_gives_one_tensor(layer)
        layers.append(layer)
    several = []
    for symbol in sorted(one_tensor.SEVERAL):
        given.test_a_function_gives_tensors(symbol)
        several.append(symbol)
    return {
        "tensors": tensors,
        "several": several,
        "layers": layers,
        "named": [n for n in sorted(named_tensors.NAMED) if _is_named(n)],
        "shapes": {text: _shape_of(text) for text in SHAPED.split("\n") if text},
    }


def main() -> None:
    RECORDED.write_text(json.dumps(observe(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
