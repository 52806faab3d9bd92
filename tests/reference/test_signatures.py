"""The table of real names and signatures is TensorFlow 2.21's, as it is installed."""

from __future__ import annotations

import ast
import importlib.metadata

import pytest

from migrate.tables import signatures
from reference.signatures import TABLE, generated


@pytest.mark.timeout(400)
def test_the_table_is_as_generated() -> None:
    text = TABLE.read_text("utf-8")
    head = text.partition("\n")[0]
    for package in ("tensorflow", "keras", "tf_keras"):
        version = importlib.metadata.version(package)
        if f" {version}," not in head and f" {version}." not in head:
            pytest.skip(f"the table is not of {package} {version}")
    new = generated()
    if new != text:
        old, now = set(text.splitlines()), set(new.splitlines())
        raise AssertionError(
            f"python -m reference.signatures: {sorted(old ^ now)[:10]}"
        )


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("tf.matmul", True),
        ("tf.log", False),
        ("tf.compat.v1.log", True),
        ("tf.compat.v1.logs", False),
        ("tf.compat.v2.matmul", True),
        ("tf.compat.v1.compat.v2.matmul", True),
        ("tf.compat.v1.raw_ops.Add", True),
        ("tf.keras.layers.Dense", True),
        ("tf.keras.layers.Dense.call", True),
        ("tf.keras.layers.CuDNNLSTM", False),
        ("tf.keras.utils.multi_gpu_model", False),
        ("tf.keras.experimental.export_saved_model", False),
        ("tf.keras.__version__", True),
        ("tf.__version__", True),
        ("tf_keras.backend.clear_session", True),
        ("tf.train", True),
        ("tf.train.string_input_producer", False),
        ("tf", True),
    ],
)
def test_names(name: str, there: bool) -> None:
    assert signatures.exists(name) is there


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("tf.matmul(a, b)", ""),
        ("tf.matmul(a)", "needs `b`"),
        ("tf.matmul(a, *b)", ""),
        ("tf.matmul(a, **b)", ""),
        ("tf.matmul(a, b, a=1)", "by place and by name"),
        ("tf.matmul(a, b, d=1)", "no argument `d`"),
        ("tf.reduce_sum(a, 1, True, None, 2)", "takes 4 arguments by place"),
        ("tf.reduce_sum(a, keep_dims=True)", "no argument `keep_dims`"),
        ("tf.compat.v1.reduce_sum(a, keep_dims=True)", ""),
        ("tf.keras.layers.Dense(3, name='d')", ""),
        ("tf.keras.layers.Dense()", "needs `units`"),
        ("tf.nowhere(1)", ""),
    ],
)
def test_calls(call: str, why: str) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    found = signatures.find_misfit(node, ast.unparse(node.func))
    assert bool(found) is bool(why) and why in found
