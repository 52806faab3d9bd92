"""Proves rows of `migrate/tfmodel/ops.tsv`: each function is called under TensorFlow 1.15.5.

    python -m reference.genuine.rows PYTHON

writes `recorded/rows.json.gz`: for each call, as it is written here, the name, type and shape of the
tensor that it gives in a graph that has nothing but its inputs. A test evaluates the same calls. Two or
three argument sets for a row: static shapes and shapes that are known in part.
"""

from __future__ import annotations

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator

from migrate.tfmodel import ops
from reference import processes

RECORDED = pathlib.Path(__file__).with_name("recorded") / "rows.json.gz"
# What the calls below use; one line each, so that an evaluation of it is short, too.
INPUTS = """import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4], name="x")
y = tf.placeholder(tf.float32, [3, 4], name="y")
u = tf.placeholder(tf.float32, name="u")
b = tf.placeholder(tf.bool, [None, 4], name="b")
i = tf.placeholder(tf.int32, [None], name="i")
j = tf.placeholder(tf.int64, [5], name="j")
s = tf.placeholder(tf.string, [2], name="s")
p = tf.placeholder(tf.float32, [None, 8, 8, 3], name="p")
q = tf.placeholder(tf.float32, [2, 5, 3], name="q")
m = tf.placeholder(tf.float32, [6, 6], name="m")
"""
_SAME = ("x", "y", "u")
_BINARY = ("x, y", "y, 2.0", "u, x")
_COMPARED = ("x, y", "x, 0.5")
_LOGICAL = ("b, b",)
_REDUCED = ("x", "x, 1", "x, axis=[0]", "p, [1, 2]", "y, 0, keepdims=True", "u")
_LOGICAL_REDUCED = ("b", "b, 1", "b, axis=0, keepdims=True")
_IMAGE = ("p",)
_POOLED = ("p, 2, 2", "p, [3, 3], 1, padding='same'")
_NN_POOLED = (
    "p, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'",
    "p, [1, 3, 3, 1], [1, 1, 1, 1], 'VALID'",
)
# Symbol -> argument lists, where the rule of the row does not say which.
_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "tf.accumulate_n": ("[y, y]",),
    "tf.add_n": ("[x, x]", "[y, y, y]"),
    "tf.argmax": ("x, 1", "p, axis=-1", "y, 0, output_type=tf.int32"),
    "tf.argmin": ("x, 1",),
    "tf.arg_max": ("x, 1", "p, dimension=1"),
    "tf.nn.max_pool2d": _NN_POOLED,
    "tf.nn.avg_pool2d": _NN_POOLED,
    "tf.cast": (
        "x, tf.int32",
        "b, tf.float32",
        "j, 'float64'",
        "j, 'float'",
        "b, float",
    ),
    "tf.saturate_cast": ("x, tf.int32",),
    "tf.clip_by_norm": ("x, 1.0",),
    "tf.clip_by_value": ("x, 0.0, 1.0", "y, -1, 1"),
    "tf.concat": ("[x, x], 1", "[y, y], 0", "[x, y], axis=0", "[p, p], -1"),
    "tf.cumsum": ("x", "y, 1"),
    "tf.expand_dims": ("x, 0", "y, -1", "i, axis=1"),
    "tf.fill": ("[2, 3], 1.0", "[tf.shape(x)[0], 3], 0"),
    "tf.gather": ("y, i", "x, j", "y, 0"),
    "tf.identity": ("x", "j", "s"),
    "tf.is_finite": ("x",),
    "tf.is_nan": ("x",),
    "tf.is_inf": ("x",),
    "tf.logical_not": ("b",),
    "tf.matmul": ("x, y, transpose_b=True", "y, m[:4, :5]", "y, y, transpose_a=True"),
    "tf.norm": ("x", "x, axis=1"),
    "tf.one_hot": ("i, 5", "j, depth=3", "j, 3, dtype=tf.int32"),
    "tf.ones": ("[2, 3]", "3, tf.int32", "[]"),
    "tf.zeros": ("[2, 3]", "(4,), dtype=tf.int64", "[tf.shape(x)[0], 2]"),
    "tf.ones_like": ("y", "x, dtype=tf.int32"),
    "tf.zeros_like": ("y", "x"),
    "tf.pad": ("y, [[1, 1], [0, 2]]", "x, [[1, 1], [0, 2]]"),
    "tf.pow": ("x, 2", "y, y"),
    "tf.random_normal": ("[2, 3]", "[tf.shape(x)[0], 2]", "[3], dtype=tf.float64"),
    "tf.random_uniform": ("[2, 3]", "[], 0, 10, tf.int32"),
    "tf.truncated_normal": ("[2, 3]", "[3, 4], stddev=0.1"),
    "tf.range": ("5", "1, 10, 2", "tf.shape(x)[0]"),
    "tf.rank": ("x", "u"),
    "tf.reshape": (
        "x, [-1, 2]",
        "p, [-1, 192]",
        "y, [12]",
        "x, (-1,)",
        "y, [2, -1, 3]",
    ),
    "tf.shape": ("x", "u", "p, out_type=tf.int64"),
    "tf.size": ("x", "y"),
    "tf.slice": ("y, [0, 1], [2, 2]", "x, [0, 0], [-1, 2]"),
    "tf.squeeze": ("y[:, :1]", "x[:, :1], 1", "p[:, :1, :1, :], [1, 2]"),
    "tf.stack": ("[y, y]", "[x, x], 1", "[j, j], axis=1"),
    "tf.tile": ("y, [2, 1]", "x, [1, 3]"),
    "tf.transpose": ("y", "x", "p, [0, 3, 1, 2]", "q, perm=[1, 0, 2]"),
    "tf.where": ("b, x, x", "b"),
    "tf.reverse": ("x, [1]",),
    "tf.random_shuffle": ("y",),
    "tf.matrix_band_part": ("m, -1, 0",),
    "tf.matrix_inverse": ("m",),
    "tf.cholesky": ("m",),
    "tf.nn.avg_pool": _NN_POOLED,
    "tf.nn.max_pool": _NN_POOLED,
    "tf.nn.bias_add": ("x, [1.0, 2.0, 3.0, 4.0]",),
    "tf.nn.conv2d": (
        "p, tf.ones([3, 3, 3, 7]), [1, 1, 1, 1], 'SAME'",
        "p, tf.ones([3, 3, 3, 7]), strides=[1, 2, 2, 1], padding='VALID'",
    ),
    "tf.nn.depthwise_conv2d": ("p, tf.ones([3, 3, 3, 2]), [1, 1, 1, 1], 'SAME'",),
    "tf.nn.embedding_lookup": ("y, i", "m, j"),
    "tf.nn.in_top_k": ("x, i, 1",),
    "tf.nn.l2_normalize": ("x, 1", "y, axis=0"),
    "tf.nn.local_response_normalization": ("p, 4, bias=1.0",),
    "tf.nn.sigmoid_cross_entropy_with_logits": ("labels=x, logits=x",),
    "tf.nn.softmax_cross_entropy_with_logits": ("labels=x, logits=x",),
    "tf.nn.softmax_cross_entropy_with_logits_v2": ("labels=y, logits=y",),
    "tf.nn.sparse_softmax_cross_entropy_with_logits": ("labels=i, logits=x",),
    "tf.nn.weighted_cross_entropy_with_logits": ("x, x, 2.0",),
    "tf.nn.xw_plus_b": ("x, m[:4, :5], [1.0, 2.0, 3.0, 4.0, 5.0]",),
    "tf.nn.relu_layer": ("x, m[:4, :5], [1.0, 2.0, 3.0, 4.0, 5.0]",),
    "tf.nn.dropout": ("x, 0.5", "y, keep_prob=0.5", "x, rate=0.3"),
    "tf.layers.dropout": ("x, 0.5, training=True",),
    "tf.layers.flatten": ("p", "q"),
    "tf.contrib.layers.flatten": ("p",),
    "tf.layers.max_pooling2d": _POOLED,
    "tf.layers.average_pooling2d": _POOLED,
    "tf.contrib.layers.max_pool2d": ("p, 2", "p, [3, 3], 1, padding='SAME'"),
    "tf.contrib.layers.avg_pool2d": ("p, 2",),
    "tf.string_to_number": ("s", "s, tf.int32"),
    "tf.as_string": ("x",),
    "tf.real": ("tf.complex(y, y)",),
    "tf.image.resize_images": ("p, [4, 4]",),
    "tf.image.resize_bilinear": ("p, [4, 4]",),
    "tf.image.resize_nearest_neighbor": ("p, [4, 4]",),
    "tf.image.flip_left_right": ("p[0]",),
    "tf.image.random_flip_left_right": ("p[0]",),
    "tf.complex": ("y, y",),
    "tf.invert_permutation": ("i",),
    "tf.nn.leaky_relu": ("x", "x, 0.1"),
    "tf.count_nonzero": ("x", "x, 1"),
    "tf.multinomial": ("x, 1",),
    "tf.linspace": ("0.0, 1.0, 5",),
    "tf.check_numerics": ("x, 'bad'",),
    "tf.Print": ("x, [x]",),
}
_LOGICALS = ("tf.logical_and", "tf.logical_or", "tf.logical_xor")
_COMPARISONS = ("tf.equal", "tf.not_equal", "tf.less", "tf.less_equal", "tf.greater")
_SAMES = (
    *("abs", "ceil", "cos", "exp", "floor", "log", "log1p", "negative", "reciprocal"),
    *("round", "rsqrt", "sigmoid", "sign", "sin", "sqrt", "square", "stop_gradient"),
    *("tan", "tanh", "erf", "expm1", "lgamma", "digamma", "acos", "asin", "atan"),
    *("nn.elu", "nn.log_softmax", "nn.relu", "nn.relu6", "nn.selu", "nn.softmax"),
    *("nn.softplus", "nn.softsign", "nn.l2_loss", "log_sigmoid", "cosh", "sinh"),
)
_BINARIES = (
    *("add", "div", "divide", "floordiv", "maximum", "minimum", "mod", "multiply"),
    *("squared_difference", "subtract", "truediv", "atan2"),
)
_REDUCTIONS = ("logsumexp", "max", "mean", "min", "prod", "sum")


def argument_sets() -> dict[str, tuple[str, ...]]:
    """Symbol -> the argument lists that it is called with."""
    found = dict(_ARGUMENTS)
    found |= {f"tf.{name}": _SAME for name in _SAMES}
    found |= {f"tf.{name}": _BINARY for name in _BINARIES}
    found |= {f"tf.reduce_{name}": _REDUCED for name in _REDUCTIONS}
    found |= {f"tf.reduce_{name}": _LOGICAL_REDUCED for name in ("all", "any")}
    found |= dict.fromkeys(_LOGICALS, _LOGICAL)
    found |= dict.fromkeys(_COMPARISONS, _COMPARED)
    known = ops.rows()
    return {symbol: sets for symbol, sets in sorted(found.items()) if symbol in known}


def calls() -> list[str]:
    """All calls, as they are written."""
    return [f"{s}({given})" for s, sets in argument_sets().items() for given in sets]


_TELL = """
import json, sys
found = {}
for line in json.load(sys.stdin):
    with tf.Graph().as_default():
        exec(INPUTS)
        try:
            value = eval(line)
            shape = value.get_shape()
            dims = None if shape.ndims is None else shape.as_list()
            found[line] = [value.name, value.dtype.base_dtype.name, dims]
        except Exception as error:
            sys.stderr.write("%s: %s\\n" % (line, error))
print(json.dumps(found))
"""


def ask(python: str, lines: Iterable[str]) -> dict[str, list[object]]:
    """Asks TensorFlow 1.15.5 for the name, type and shape that calls give."""
    with tempfile.TemporaryDirectory() as directory:
        program = pathlib.Path(directory) / "tell.py"
        program.write_text(f"INPUTS = {INPUTS!r}\nexec(INPUTS)\n{_TELL}")
        done = subprocess.run(
            [python, "-W", "ignore", str(program)],
            input=json.dumps(list(lines)),
            env=processes.environment_with(),
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
    refused = [line for line in done.stderr.splitlines() if line.startswith("tf.")]
    if refused:
        raise ValueError(f"TensorFlow refuses: {refused}")
    found: dict[str, list[object]] = json.loads(done.stdout.splitlines()[-1])
    return found


def read() -> dict[str, list[object]]:
    """The recorded answers."""
    found: dict[str, list[object]] = json.loads(gzip.decompress(RECORDED.read_bytes()))
    return found


def untold() -> Iterator[str]:
    """Rows without an argument set."""
    told = argument_sets()
    return (symbol for symbol in ops.rows() if symbol not in told)


if __name__ == "__main__":
    text = json.dumps(ask(sys.argv[1], calls()), indent=0)
    RECORDED.write_bytes(gzip.compress(text.encode(), mtime=0))
